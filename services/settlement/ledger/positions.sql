select topic, partition, next_offset::float8 as offset
from log_positions
