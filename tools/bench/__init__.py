"""What the device's code costs, beside the usual way, in one run on this machine.

python -m tools.bench            all rows
python -m tools.bench calls      those of one subject

Times say something only beside each other: all are from the same run.
"""
