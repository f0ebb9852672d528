import type { Component } from '#libs/runtime/service.ts';

const everyMs = 2_000;

/** Looks every two seconds, far from any request, and at the end, at what has changed in the catalog; `name` is the component's. */
export const lookOften = (name: string, look: () => void): Component => {
  let timer: NodeJS.Timeout | undefined;
  return {
    name,
    start: async () => {
      look();
      timer = setInterval(look, everyMs).unref();
    },
    stop: async () => {
      clearInterval(timer);
      look();
    },
  };
};
