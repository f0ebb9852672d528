import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { events } from '#libs/contracts/events.ts';
import type { EventName } from '#libs/contracts/events.ts';
import { topics } from '#libs/contracts/topics.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const readme = read('libs/contracts/README.md');
const section = (title: string): string => readme.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
const rows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1));
const filesIn = (text = ''): string[] =>
  [...text.matchAll(/`((?:libs|services|test|deploy)\/[^`]+)`/g)].map(([, path]) => path!);

/** Each row of the event flow: event, topic, published by, handled by. */
const steps = rows(section('Event flow'))
  .map(([event = '', topic = '', by = '', handlers = '']) => ({
    name: /`(.+?)`/.exec(event)?.[1],
    topic: /`(.+?)`/.exec(topic)?.[1],
    publisher: filesIn(by)[0] ?? '',
    handlers: filesIn(handlers),
  }))
  .filter(({ name }) => name !== undefined);

const serviceOf = (file: string): string => file.split('/')[1] ?? '';
const names = (file: string, name: string) =>
  existsSync(join(root, file)) && read(file).includes(`'${name}'`);

/** Whether the service of a handler's file subscribes to the event, and imports the file where it does. */
const isSubscribed = (handler: string, name: string): boolean =>
  ['events.ts', 'main.ts']
    .map((file) => `services/${serviceOf(handler)}/${file}`)
    .some((file) => names(file, name) && read(file).includes(basename(handler)));

describe('the event flow', () => {
  test('has every event', () => {
    expect([...new Set(steps.map(({ name }) => name))].sort()).toEqual(Object.keys(events).sort());
  });

  test.each(steps)('$name is on $topic, published by $publisher', ({ name, topic, publisher }) => {
    expect(events[name as EventName].topic).toBe(topic);
    expect(names(publisher, name!)).toBe(true);
    if (publisher.startsWith('services/'))
      expect(topics[events[name as EventName].topic].writers).toContain(serviceOf(publisher));
  });

  test.each(steps.flatMap(({ name, handlers }) => handlers.map((handler) => [name!, handler] as const)))(
    '%s is handled by %s',
    (name, handler) => {
      expect(topics[events[name as EventName].topic].readers).toContain(serviceOf(handler));
      expect(isSubscribed(handler, name)).toBe(true);
    },
  );
});

describe('the promises', () => {
  const promises = rows(section('Promises')).filter(([id]) => /I\d/.test(id ?? ''));

  test('are I1 to I10', () => {
    expect(promises.map(([id]) => id?.trim())).toEqual(Array.from({ length: 10 }, (_, at) => `I${at + 1}`));
  });

  test.each(promises)(
    '%s:%s has a file that keeps it and a test that proves it',
    (_id, _text, kept, proven) => {
      expect(filesIn(kept).filter((file) => /^(libs|services)\//.test(file))).not.toEqual([]);
      expect(filesIn(proven).filter((file) => /^test\/.*\.ts$/.test(file))).not.toEqual([]);
    },
  );
});
