import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

const { resolveOffset } = ConsumerGroup.prototype;

/**
 * kafkajs 2.2.4 may join inside one of its fetches, while others are out. Of a topic that the member lost with its last partition it would resolve
 * the offset of what those bring, fail, and end the process. Here what belongs to another member now is left to it.
 */
ConsumerGroup.prototype.resolveOffset = function (this: ConsumerGroup, position): void {
  if (this.offsetManager?.resolvedOffsets[position.topic]) resolveOffset.call(this, position);
};
