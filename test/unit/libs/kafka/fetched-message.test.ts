import type { IHeaders, KafkaMessage } from 'kafkajs';
import { eventNameOf, textHeader } from '#libs/kafka/fetched-message.ts';

test.each([
  ['bytes', Buffer.from('a'), 'a'],
  ['text', 'a', 'a'],
  ['repeated', [Buffer.from('a'), Buffer.from('b')], 'a'],
  ['null, as Kafka allows', null, undefined],
  ['null first', [null, 'b'], undefined],
  ['absent', undefined, undefined],
])('a header that is %s is read as text, or as none', (_, value, text) => {
  expect(textHeader({ name: value } as unknown as IHeaders, 'name')).toBe(text);
});

test.each([
  ['one of ours', 'dev.gsb.ott.issued', 'ott.issued'],
  ['repeated', ['dev.gsb.ott.issued', 'dev.gsb.ott.voided'], 'ott.issued'],
  ['of ours, and not known here', 'dev.gsb.ott.renamed', 'ott.renamed'],
  ['somebody else’s', 'com.example.thing', 'com.example.thing'],
  ['none', undefined, undefined],
])('the name of an event whose type is %s', (_, type, name) => {
  const headers = { ...(type !== undefined && { ce_type: type }) };

  expect(eventNameOf({ headers } as KafkaMessage)).toBe(name);
});
