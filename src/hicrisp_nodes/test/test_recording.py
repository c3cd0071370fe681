"""A run's recordings are opened by their own tools' readers, and hold what was chosen and nothing else."""

from __future__ import annotations

from pathlib import Path

import genpy
import pytest
import rosbag
from geometry_msgs.msg import TransformStamped
from hicrisp_nodes.recording import BAG, MCAP
from hicrisp_nodes.recording.tape import Raw, Tape, packed
from hicrisp_nodes.recording.topics import Choice
from tf2_msgs.msg import TFMessage

from hicrisp_msgs.msg import CorrectionStack, Event, FailedCommand

reader = pytest.importorskip("mcap.reader")
ros1 = pytest.importorskip("mcap_ros1.decoder")
STACK = CorrectionStack(genpy.Time(4), "1", [FailedCommand("place box", "it fell", "misplaced", "", 2)])
FRAME = TransformStamped(child_frame_id="box")
FRAME.transform.translation.x = 0.5


def raw(topic: str, message: genpy.Message, latched: bool = False, caller: str = "") -> Raw:
    return Raw(topic, message._type, message._md5sum, message._full_text, packed(message), caller, latched)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "1"
    tape = Tape(folder)
    tape.write(raw("/tf_static", TFMessage([FRAME]), latched=True, caller="/world"), genpy.Time(3))
    for number in range(200):
        event = Event(genpy.Time(4), "1", "note", '{"kind": "note"}')
        tape.write(raw("/hicrisp/events", event, caller="/supervisor"), genpy.Time(4, number))
    tape.write(raw("/hicrisp/correction_stack", STACK), genpy.Time(5))
    assert not (folder / BAG).exists(), "a file has its name once it is whole"
    tape.close()
    assert sorted(each.name for each in folder.iterdir()) == [BAG, MCAP]
    return folder


def test_rosbag_opens_the_bag_with_all_its_messages(recorded: Path) -> None:
    with rosbag.Bag(str(recorded / BAG)) as bag:
        assert bag.get_message_count() == 202
        stacks = [(message, stamp) for _, message, stamp in bag.read_messages("/hicrisp/correction_stack")]
        frames = [message for _, message, _ in bag.read_messages("/tf_static")]
        assert bag.get_type_and_topic_info().topics["/hicrisp/events"].msg_type == "hicrisp_msgs/Event"
    assert stacks[0][0].entries[0].error == "it fell"
    assert stacks[0][1] == genpy.Time(5)
    assert frames[0].transforms[0].transform.translation.x == 0.5


def test_mcap_opens_the_other_file_and_decodes_it_without_this_workspace(recorded: Path) -> None:
    with open(recorded / MCAP, "rb") as stream:
        opened = reader.make_reader(stream, decoder_factories=[ros1.DecoderFactory()])
        assert opened.get_header().profile == "ros1"
        assert opened.get_summary().statistics.message_count == 202
        decoded = {channel.topic: message for _, channel, _, message in opened.iter_decoded_messages()}
    assert decoded["/hicrisp/correction_stack"].entries[0].command == "place box"
    assert decoded["/tf_static"].transforms[0].child_frame_id == "box"


def test_what_is_recorded_is_named_and_pictures_come_seldom() -> None:
    choice = Choice("/lab/", ("/lab/camera/color/image_raw", "/lab/camera/color/camera_info"), 0.5,
                    ("/my/*",))
    assert choice.of("/lab/events", "hicrisp_msgs/Event").rate == 0.0
    assert choice.of("/lab/robots/panda/execute/goal", "hicrisp_msgs/ExecuteCommandActionGoal")
    assert choice.of("/lab/camera/color/image_raw", "sensor_msgs/Image").rate == 0.5
    assert choice.of("/my/force", "geometry_msgs/Wrench")
    assert choice.of("/lab/joint_states", "sensor_msgs/JointState").rate == 0.0
    for topic in ("/rosout", "/rosout_agg", "/hicrisp/events", "/secrets", "/lab/brain/plan/goal"):
        assert choice.of(topic, "std_msgs/String") is None
    packed = "/lab/camera/color/image_raw/compressed"
    assert choice.of(packed, "sensor_msgs/CompressedImage", {packed}).rate == 0.5
    assert choice.of("/lab/camera/color/image_raw", "sensor_msgs/Image", {packed}) is None
    assert Choice("/lab", ("/lab/picture",), 0.0).of("/lab/picture", "sensor_msgs/Image") is None
