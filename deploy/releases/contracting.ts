/** The newest migration that is older than the rule (docs/decisions/0016): later ones are checked. */
export const RULE_STARTS_AFTER = '20261126000000'

export interface ContractingStatement {
  /** The beginning of the statement. */
  statement: string
  reason: string
}

type Rule = [pattern: RegExp, reason: string]

/** Comments, strings and function bodies, which may contain anything. */
const NOT_CODE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1/g

const USED = 'the previous release may use it'
const NARROWED = 'the previous release may write what is rejected from now on'

const STATEMENTS: Rule[] = [
  [/^DROP (TABLE|TYPE|SEQUENCE|SCHEMA|EXTENSION|INDEX|TRIGGER)\b|^TRUNCATE\b/i, USED],
  [/^ALTER (?!TABLE\b)\w+ (?!.* ADD VALUE\b)/i, 'the previous release knows its former state'],
  [/^DO\b/i, 'this check does not inspect DO blocks'],
]

/** Clauses of ALTER TABLE on an existing table. */
const CLAUSES: Rule[] = [
  [/^DROP (?!CONSTRAINT\b)/i, USED],
  [/^DROP CONSTRAINT\b/i, 'the previous release may rely on it, as ON CONFLICT does'],
  [/^RENAME\b/i, 'the previous release knows the former name'],
  [/^ADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY|EXCLUDE)\b/i, NARROWED],
  [/^ALTER .*\bSET NOT NULL\b/i, 'the previous release may write null'],
  [/^ALTER .*\bDROP DEFAULT\b/i, 'inserts of the previous release omit the column'],
  [
    /^ALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i,
    'the previous release expects the former type, and the table is rewritten',
  ],
  [
    /^ADD (?!.*\b(DEFAULT|GENERATED)\b).*\bNOT NULL\b/i,
    'inserts of the previous release omit the column: give it a default',
  ],
  [/^ADD .*\bGENERATED\b.*\bSTORED\b/i, 'the table is locked while it is rewritten'],
]

/** Why the previous release might fail on the schema after this migration, or the running one block during it. */
export function contractingStatements(migration: string): ContractingStatement[] {
  const up = migration.split(/^-- migrate:down/m)[0] ?? ''
  const statements = up
    .replace(NOT_CODE, '')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
  const created = new Set(statements.flatMap((one) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(one)?.[1] ?? []))
  return statements.flatMap((statement) => {
    const reasons = [
      ...brokenRules(statement, STATEMENTS),
      ...droppedForGood(statement, statements),
      ...contractingClauses(statement, created),
      ...blockingIndexes(statement, created),
    ]
    return reasons.map((reason) => ({ statement: statement.slice(0, 100), reason }))
  })
}

/** Whether a line names the release since which nothing uses what is removed: `-- contract: v1.4.0`. */
export function namesRelease(migration: string): boolean {
  return /^-- contract: v?\d+\.\d+\.\d+\b/m.test(migration)
}

function brokenRules(text: string, rules: Rule[]): string[] {
  return rules.filter(([pattern]) => pattern.test(text)).map(([, reason]) => reason)
}

/** A view or function may be dropped when the same migration creates it again. */
function droppedForGood(statement: string, all: string[]): string[] {
  const [, kind, name] = /^DROP (VIEW|FUNCTION) (?:IF EXISTS )?(\w+)/i.exec(statement) ?? []
  if (!name) return []
  const again = new RegExp(`^CREATE (OR REPLACE )?${kind} ${name}\\b`, 'i')
  return all.some((other) => again.test(other)) ? [] : [USED]
}

function contractingClauses(statement: string, created: Set<string>): string[] {
  const [, table, clauses = ''] = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+) (.*)$/i.exec(statement) ?? []
  if (!table || created.has(table)) return []
  const all = splitClauses(clauses)
  return all.filter((clause) => !replacesCheck(clause, all)).flatMap((clause) => brokenRules(clause, CLAUSES))
}

/**
 * Whether the clause is one of the two that replace a CHECK by one of the same name. NOT VALID: the rows are not read under
 * the lock. That it allows all that it allowed is left to the author.
 */
function replacesCheck(clause: string, all: string[]): boolean {
  const [, name] = /^(?:DROP|ADD) CONSTRAINT (\w+_check)\b/i.exec(clause) ?? []
  if (!name) return false
  const added = new RegExp(`^ADD CONSTRAINT ${name} CHECK .* NOT VALID$`, 'i')
  return all.includes(`DROP CONSTRAINT ${name}`) && all.some((other) => added.test(other))
}

function blockingIndexes(statement: string, created: Set<string>): string[] {
  const [, unique, concurrently, table = ''] =
    /^CREATE (UNIQUE )?INDEX (CONCURRENTLY )?.*?\bON (?:ONLY )?(\w+)/i.exec(statement) ?? []
  if (!table || created.has(table)) return []
  if (unique) return [NARROWED]
  return concurrently ? [] : ['writes wait until the index is built: CREATE INDEX CONCURRENTLY, alone in its file']
}

/** Splits at the commas outside of parentheses. */
function splitClauses(text: string): string[] {
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
