import { bundleFrame, bundleHeaders, lineOf, mostInBundle } from './bundle.ts';
import type { EncodedEvent, WrittenEvents } from './encode-event.ts';

const firstBytes = 8_192;
/** What a bundle takes beside its lines: two of the largest fit into one request. */
const headBytes = 1_024;

/** Events of one name and one partition as they come, of which nothing but their bytes is kept. */
export interface BundleWriter {
  /** Whether there was room for it; the first event always has. */
  add(event: EncodedEvent): boolean;
  /** Ends the bundle: nothing is added to it afterwards. There has to be an event in it. */
  end(): WrittenEvents;
}

/**
 * Writes a bundle event by event (D-39). Kept as objects until they leave, a thousand bytes of each would outlive two young collections, and
 * be collected with all that is old (D-64). Where its topic has that partition no more, the bundle goes where its first event belongs.
 */
export const createBundleWriter = (partition: number): BundleWriter => {
  let bytes = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;
  let events = 0;
  let head: Pick<WrittenEvents, 'keyHash' | 'pin' | 'headers'> | undefined;
  const write = (text: string, size: number): void => {
    if (length + size > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (length + size));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    length += bytes.write(text, length);
  };
  return {
    add: (event) => {
      const line = `${events === 0 ? bundleFrame.opens : bundleFrame.between}${lineOf(event)}`;
      const size = Buffer.byteLength(line);
      const isFull = events === mostInBundle.events || length + size > mostInBundle.bytes - headBytes;
      if (isFull && events > 0) return false;
      const { keyHash, pin, headers } = event;
      head ??= { keyHash, pin, headers: bundleHeaders(headers) };
      write(line, size);
      events += 1;
      return true;
    },
    end: () => {
      if (head === undefined) throw new Error('a bundle has at least one event');
      write(bundleFrame.closes, bundleFrame.closes.length);
      return { key: null, ...head, queuedIn: partition, value: bytes.subarray(0, length), events };
    },
  };
};
