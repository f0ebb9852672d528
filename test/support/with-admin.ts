import type { Admin } from 'kafkajs';

/** Gives `work` a connected admin of a cluster. */
export const withAdmin = async <T>(
  kafka: { admin(): Admin },
  work: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};
