import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { readPrismaSchema, type Table } from './prisma-schema.ts'

/** The differences between schema.prisma and the migrated database as sentences; empty when there are none. */
export async function schemaDifferences(schemaPrismaPath: string, databaseUrl: string): Promise<string[]> {
  const wanted = readPrismaSchema(await readFile(schemaPrismaPath, 'utf8'))
  const found = await readDatabase(databaseUrl)
  const unknown = found.filter(({ name }) => !wanted.some((table) => table.name === name))
  return [
    ...unknown.map(({ name }) => `table ${name} is missing in the Prisma schema`),
    ...wanted.flatMap((table) =>
      compare(
        table,
        found.find(({ name }) => name === table.name),
      ),
    ),
  ]
}

function compare(wanted: Table, found: Table | undefined): string[] {
  if (!found) return [`table ${wanted.name} is missing in the database`]
  const lines = (table: Table) => [
    ...table.columns.map(
      (column) =>
        `column ${column.name} ${column.type}${column.nullable ? '' : ' not null'}${column.hasDefault ? ' default' : ''}`,
    ),
    `primary key ${table.primaryKey.join(',')}`,
    ...table.uniques.map((columns) => `unique ${columns}`),
  ]
  const prisma = [...lines(wanted), ...wanted.indexes.map((columns) => `index ${columns}`)]
  const database = [...lines(found), ...found.indexes.map((columns) => `index ${columns}`)]
  const onlyPrisma = prisma.filter((line) => !database.includes(line))
  // The database may have more indexes than Prisma can say (partial, descending).
  const onlyDatabase = lines(found).filter((line) => !prisma.includes(line))
  return [
    ...onlyPrisma.map((line) => `table ${wanted.name}: only the Prisma schema has: ${line}`),
    ...onlyDatabase.map((line) => `table ${wanted.name}: only the database has: ${line}`),
  ]
}

// Generated columns serve indexes: Prisma can neither declare nor write them.
const COLUMNS = `
  SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
         NOT a.attnotnull AS nullable, (a.atthasdef OR a.attidentity <> '') AS "hasDefault"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attgenerated = ''
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations'
  ORDER BY c.relname, a.attnum`

const INDEXES = `
  SELECT c.relname AS "table", i.indisprimary AS "primary", i.indisunique AS "unique",
         string_agg(a.attname, ',' ORDER BY key.place) AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS key (attnum, place)
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = key.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND i.indpred IS NULL AND i.indexprs IS NULL
  GROUP BY i.indexrelid, c.relname, i.indisprimary, i.indisunique`

async function readDatabase(url: string): Promise<Table[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const columns = (await client.query(COLUMNS)).rows
    const indexes = (await client.query(INDEXES)).rows
    return [...new Set(columns.map((row) => row.table as string))].map((name) => {
      const own = indexes.filter((index) => index.table === name)
      const lists = (keep: (index: (typeof own)[number]) => boolean) => own.filter(keep).map((index) => index.columns)
      return {
        name,
        columns: columns
          .filter((row) => row.table === name)
          .map(({ name: column, type, nullable, hasDefault }) => ({
            name: column,
            type: type.replaceAll('"', ''),
            nullable,
            hasDefault,
          })),
        primaryKey: lists((index) => index.primary)[0]?.split(',') ?? [],
        uniques: lists((index) => index.unique && !index.primary),
        indexes: lists((index) => !index.unique),
      }
    })
  } finally {
    await client.end()
  }
}
