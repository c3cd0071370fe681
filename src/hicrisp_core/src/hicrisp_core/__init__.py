"""The reasoning of the HiCRISP workspace, without ROS: model, domain, brain, body, detector, corrector,
executive.
"""
