"""From a user's words to facts, goals and orders, without a model.

What reads what, from the words up:

- words: `tokens` (the one tokenizer), `lexicon` (the one list of words), `vocabulary` (what a world calls its
  areas, stations and carriers), `robots` (what it calls its robots, and who is to act), `templates` (a
  domain's sentences);
- parts: `splitter` (a request as clauses), `shared_places` ("the fork left and the knife right of the
  plate"), `noun_phrases` ("two red boxes");
- readers: `things` over `shapes` and `handling` (an arm's requests), `drives` (a base's), `deliveries` (of
  both), `facts` (what shall be so), `sayings` (a domain's requests that stand for facts), `questions`;
- `front_ends`: the order in which the readers are tried; what they read are the typed `intents`;
- where they read nothing: `told_orders` over `order_reader`, `order_places`, `order_turns`, `order_parts`,
  `order_facts` and `order_words` (towers, rows and relations whose words leave one meaning, whatever their
  grammar);
- plans: `names` (from noun phrases to the world's names), `goals` (facts as a goal of the search),
  `order_plans` over `builder` and `expand` (things), `drive_plans`, `delivery_plans`; `actions` finds the
  domain's action for each;
- what is not said by its name: `by_name` over `coloured_like`, `standing_out`, `located` and `describing`;
- beside a model: `spelling` (slips of the finger), `undoable` (what no fact says), `between` (in a model's
  commands), `untold_places` (places that no word tells), `mentions` and `doubts` (where the words speak
  against what it understood), `repairs` (by what they tell), `orders` (of towers and rows),
  `told_relations`, `left_alone` (what no hand may touch);
- `examples`: sentences to offer where none was understood.
"""
