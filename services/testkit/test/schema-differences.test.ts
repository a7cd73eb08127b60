import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createMigratedDatabase, schemaDifferences, type TestDatabase, testDirectory } from '@skyfolio/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const AGREEING = `
model Outbox {
  seq         BigInt    @id @default(autoincrement())
  id          String    @unique @db.Uuid
  subject     String
  payload     Bytes
  headers     Json
  createdAt   DateTime  @default(now()) @map("created_at") @db.Timestamptz(6)
  publishedAt DateTime? @map("published_at") @db.Timestamptz(6)

  @@map("outbox")
}

model Photo {
  id       Int     @id // as media made it
  title    String
  revision Int
  deleted  Boolean

  @@map("photos")
}

model Handled {
  photoId  Int      @map("photo_id")
  revision Int
  at       DateTime @default(now()) @db.Timestamptz(6)

  @@map("handled")
}

model Erasure {
  userId      Int       @id @map("user_id")
  requestedAt DateTime  @default(now()) @map("requested_at") @db.Timestamptz(6)
  waitsFor    String    @default("") @map("waits_for")
  erasedAt    DateTime? @map("erased_at") @db.Timestamptz(6)
  revision    Int       @default(0)

  @@map("erasures")
}

model Belonging {
  userId Int    @map("user_id")
  name   String

  @@map("belongings")
}
`

let database: TestDatabase

beforeAll(async () => {
  database = await createMigratedDatabase(new URL('../../kit/test/migrations', import.meta.url).pathname)
})

afterAll(() => database.drop())

async function differences(schema: string): Promise<string[]> {
  const file = join(testDirectory(), 'schema.prisma')
  await writeFile(file, schema)
  return schemaDifferences(file, database.url)
}

test('a schema that agrees with the database has no differences', async () => {
  expect(await differences(AGREEING)).toEqual([])
})

test.each([
  ['a missing column', AGREEING.replace('  title    String\n', ''), 'column title text not null'],
  ['another type', AGREEING.replace('revision Int\n', 'revision BigInt\n'), 'column revision bigint not null'],
  ['another nullability', AGREEING.replace('deleted  Boolean', 'deleted  Boolean?'), 'column deleted boolean'],
  ['a default too many', AGREEING.replace('deleted  Boolean', 'deleted  Boolean @default(false)'), 'not null default'],
  ['a missing unique constraint', AGREEING.replace('@unique ', ''), 'unique id'],
  ['another primary key', AGREEING.replace('Int     @id', 'Int'), 'primary key id'],
  [
    'a column too many',
    AGREEING.replace('  title    String\n', '  title    String\n  more     String\n'),
    'column more',
  ],
  ['an index too many', AGREEING.replace('@@map("photos")', '@@index([title])\n  @@map("photos")'), 'index title'],
  ['a missing table', AGREEING.replace(/model Handled[\s\S]*/, ''), 'table handled is missing in the Prisma schema'],
  ['a table too many', `${AGREEING}\nmodel More {\n  id Int @id\n}\n`, 'table More is missing in the database'],
])('%s is found', async (_what, schema, expected) => {
  expect((await differences(schema)).join('\n')).toContain(expected)
})
