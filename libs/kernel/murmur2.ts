const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const shift = 24;

/** MurmurHash2 of 32 bits, as Kafka's Java client has it. kafkajs computes the same with 64-bit objects, in ten times as long. */
export const murmur2 = (bytes: Buffer): number => {
  const { length } = bytes;
  const tail = length & ~3;
  let hash = seed ^ length;
  for (let at = 0; at < tail; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), multiplier);
    word = Math.imul(word ^ (word >>> shift), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (length > tail) hash = Math.imul(hash ^ bytes.readUIntLE(tail, length - tail), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
};
