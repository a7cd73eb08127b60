import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../local/paths.ts'
import { contractingStatements, namesRelease, RULE_STARTS_AFTER } from '../releases/contracting.ts'

const services = readdirSync(join(root, 'services')).filter((name) =>
  existsSync(join(root, 'services', name, 'prisma')),
)
const folders = services.map((service) => join(root, 'services', service, 'prisma/migrations'))
const migrations = folders.flatMap((folder) => {
  const files = readdirSync(folder)
  return files.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
})

const refused = (sql: string) => contractingStatements(`-- migrate:up\n${sql}\n-- migrate:down\n`).length > 0

test('every migration since the rule only expands, or names the release that no longer uses what it removes', () => {
  const wrong = migrations
    .filter(({ name, text }) => name.slice(0, 14) > RULE_STARTS_AFTER && !namesRelease(text))
    .flatMap(({ name, text }) =>
      contractingStatements(text).map(({ statement, reason }) => `${name}: ${statement}: ${reason}`),
    )
  expect(migrations.length).toBeGreaterThan(10)
  expect(wrong).toEqual([])
})

test.each([
  'DROP TABLE photos;',
  'DROP VIEW votes;',
  'DROP INDEX photos_search;',
  'DROP FUNCTION photos_like;',
  'TRUNCATE outbox;',
  'ALTER TABLE photos DROP COLUMN title;',
  'ALTER TABLE photos DROP title;',
  'alter table photos\n  add column a int default 1,\n  drop column if exists b;',
  'ALTER TABLE photos RENAME COLUMN title TO name;',
  'ALTER TABLE photos RENAME TO pictures;',
  'ALTER TABLE photos ADD COLUMN b int NOT NULL;',
  'ALTER TABLE photos ADD COLUMN a int DEFAULT 1, ADD COLUMN b numeric(9, 7) NOT NULL;',
  "ALTER TABLE photos ADD COLUMN b text GENERATED ALWAYS AS (title || ', ') STORED;",
  'ALTER TABLE photos ALTER COLUMN city SET NOT NULL;',
  'ALTER TABLE photos ALTER city TYPE varchar(100);',
  'ALTER TABLE photos ALTER COLUMN city DROP DEFAULT;',
  'ALTER TABLE photos ADD CONSTRAINT short CHECK (length(city) < 10);',
  'ALTER TABLE photos DROP CONSTRAINT photos_pkey;',
  'ALTER TABLE photos DROP CONSTRAINT status_check, ADD CONSTRAINT status_check CHECK (status <> 1);',
  'ALTER TABLE photos DROP CONSTRAINT status_check, ADD CONSTRAINT other_check CHECK (status <> 1) NOT VALID;',
  "ALTER TYPE mood RENAME VALUE 'a' TO 'b';",
  'CREATE UNIQUE INDEX one ON photos (filename);',
  'CREATE INDEX slow ON photos (city);',
  'DO $$ BEGIN DROP TABLE photos; END $$;',
])('refuses: %s', (sql) => {
  expect(refused(sql)).toBe(true)
})

test.each([
  'CREATE TABLE orders (id int PRIMARY KEY, total int NOT NULL); CREATE UNIQUE INDEX a ON orders (total); CREATE INDEX b ON orders (total); ALTER TABLE orders ADD CHECK (total > 0);',
  'ALTER TABLE photos ADD COLUMN a int, ADD COLUMN b int NOT NULL DEFAULT 0, ADD COLUMN c numeric(9, 7) CHECK (c > 0);',
  'ALTER TABLE photos ALTER COLUMN city DROP NOT NULL, ALTER COLUMN state SET DEFAULT 1;',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS fast ON photos (city);',
  'ALTER TABLE photos DROP CONSTRAINT status_check, ADD CONSTRAINT status_check CHECK (status IN (1, 2)) NOT VALID;',
  'DROP FUNCTION f; CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;',
  "ALTER TYPE mood ADD VALUE 'c';",
  "-- DROP TABLE photos;\nCOMMENT ON TABLE photos IS 'never DROP TABLE photos; please';",
  'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE IF EXISTS scratch; END $$;',
])('allows: %s', (sql) => {
  expect(refused(sql)).toBe(false)
})

test('the down part of a migration may contract', () => {
  expect(contractingStatements('-- migrate:up\nSELECT 1;\n-- migrate:down\nDROP TABLE photos;')).toEqual([])
})

test('only a line that names a release allows a migration to contract', () => {
  expect(namesRelease('-- migrate:up\n-- contract: v1.4.0, since when titles are read from texts\nDROP TABLE a;')).toBe(
    true,
  )
  expect(namesRelease('-- migrate:up\n-- contract: nobody needs it\nDROP TABLE a;')).toBe(false)
})
