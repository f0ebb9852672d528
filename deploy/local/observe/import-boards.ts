import { boards } from '../../observability/boards/all.ts';
import { buildBoard } from '../../observability/boards/build.ts';
import { asPaths } from '../../observability/links.ts';
import type { Published } from '../../observability/links.ts';

const deadlineMs = 10_000;

/** Whether, and as whom, a Grafana is asked; GRAFANA_TOKEN is a token of a service account that may write dashboards. */
export interface GrafanaAccess {
  readonly url: string;
  readonly token?: string | undefined;
}

/** Imports the boards into a Grafana, over those that it has from before. Resolves to how many it took; throws with what it said when it took one not. */
export const importBoards = async (
  { url, token }: GrafanaAccess,
  published: Published = asPaths,
): Promise<number> => {
  for (const board of boards) {
    const response = await fetch(`${url.replace(/\/$/, '')}/api/dashboards/db`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        dashboard: buildBoard(board, published),
        overwrite: true,
        message: 'npm start -- --observe',
      }),
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (!response.ok)
      throw new Error(
        `Grafana did not take ${board.uid}: ${response.status} ${(await response.text()).slice(0, 200)}`,
      );
  }
  return boards.length;
};
