/** The newest migration of before the rule (docs/decisions/0016): those after it are checked. */
export const RULE_BEGINS_AFTER = '20261126000000'

export interface Refusal {
  /** The beginning of the statement. */
  statement: string
  why: string
}

type Rule = [pattern: RegExp, why: string]

/** Comments, texts and the bodies of functions, which may contain anything. */
const NOT_CODE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g

const USED = 'the previous release may use it'
const NARROWED = 'the previous release may write what is refused from now on'

const STATEMENTS: Rule[] = [
  [/^DROP (TABLE|TYPE|SEQUENCE|SCHEMA|EXTENSION|INDEX|TRIGGER)\b|^TRUNCATE\b/i, USED],
  [/^ALTER (?!TABLE\b)\w+ (?!.* ADD VALUE\b)/i, 'the previous release knows it as it was'],
  [/^DO\b/i, 'this check does not look into DO blocks'],
]

/** Clauses of ALTER TABLE on a table that was there before. */
const CLAUSES: Rule[] = [
  [/^DROP (?!CONSTRAINT\b)/i, USED],
  [/^DROP CONSTRAINT\b/i, 'the previous release may rely on it, as ON CONFLICT does'],
  [/^RENAME\b/i, 'the previous release knows the former name'],
  [/^ADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY|EXCLUDE)\b/i, NARROWED],
  [/^ALTER .*\bSET NOT NULL\b/i, 'the previous release may write null'],
  [/^ALTER .*\bDROP DEFAULT\b/i, 'inserts of the previous release leave the column out'],
  [
    /^ALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i,
    'the previous release expects the former type, and the table is rewritten',
  ],
  [
    /^ADD (?!.*\b(DEFAULT|GENERATED)\b).*\bNOT NULL\b/i,
    'inserts of the previous release leave the column out: give it a default',
  ],
  [/^ADD .*\bGENERATED\b.*\bSTORED\b/i, 'nobody can use the table while it is rewritten'],
]

/** Why the previous release might fail on the schema after this migration, or the running one stand still during it. */
export function contracting(migration: string): Refusal[] {
  const up = migration.split(/^-- migrate:down/m)[0] ?? ''
  const statements = up
    .replace(NOT_CODE, '')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
  const made = new Set(statements.flatMap((one) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(one)?.[1] ?? []))
  return statements.flatMap((statement) => {
    const reasons = [
      ...broken(statement, STATEMENTS),
      ...forgotten(statement, statements),
      ...changed(statement, made),
      ...indexed(statement, made),
    ]
    return reasons.map((why) => ({ statement: statement.slice(0, 100), why }))
  })
}

/** Whether a line names the release in which nothing uses any more what goes: `-- contract: v1.4.0`. */
export function saysSinceWhen(migration: string): boolean {
  return /^-- contract: v?\d+\.\d+\.\d+\b/m.test(migration)
}

function broken(text: string, rules: Rule[]): string[] {
  return rules.filter(([pattern]) => pattern.test(text)).map(([, why]) => why)
}

/** A view or function may go when the same migration makes it again. */
function forgotten(statement: string, all: string[]): string[] {
  const [, kind, name] = /^DROP (VIEW|FUNCTION) (?:IF EXISTS )?(\w+)/i.exec(statement) ?? []
  if (!name) return []
  const again = new RegExp(`^CREATE (OR REPLACE )?${kind} ${name}\\b`, 'i')
  return all.some((other) => again.test(other)) ? [] : [USED]
}

function changed(statement: string, made: Set<string>): string[] {
  const [, table, clauses = ''] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)$/i.exec(statement) ?? []
  if (!table || made.has(table)) return []
  return clausesOf(clauses).flatMap((clause) => broken(clause, CLAUSES))
}

function indexed(statement: string, made: Set<string>): string[] {
  const [, unique, concurrently, table = ''] =
    /^CREATE (UNIQUE )?INDEX (CONCURRENTLY )?.*?\bON (?:ONLY )?(\w+)/i.exec(statement) ?? []
  if (!table || made.has(table)) return []
  if (unique) return [NARROWED]
  return concurrently ? [] : ['writes wait until the index is built: CREATE INDEX CONCURRENTLY, alone in its file']
}

/** Splits at the commas that stand outside of brackets. */
function clausesOf(text: string): string[] {
  const clauses = ['']
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === ',' && depth === 0) clauses.push('')
    else clauses[clauses.length - 1] += character
  }
  return clauses.map((clause) => clause.trim())
}
