import { Client } from 'pg';

afterEach(() => {
  delete process.env['PGUSER'];
  delete process.env['PGPASSWORD'];
});

test('the user and the password of Postgres may hold any characters: they stand beside the URL, which has neither', () => {
  process.env['PGUSER'] = 'gsb@live';
  process.env['PGPASSWORD'] = 'p@ss/w:rd?#[%41]&';

  const client = new Client({ connectionString: 'postgres://store:5432/gsb?sslmode=verify-full' });

  expect(client).toMatchObject({ user: 'gsb@live', host: 'store', port: 5432, database: 'gsb' });
  expect(client.password).toBe('p@ss/w:rd?#[%41]&');
});
