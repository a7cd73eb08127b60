import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { CHECKS } from '../checks/run.ts'
import { operatorCommands } from '../local/operator-commands.ts'
import { root } from '../local/paths.ts'

const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const manifests = globSync('{package.json,{proto,gateway,web}/package.json,services/*/package.json}', { cwd: root })
const scripts: Record<string, string> = Object.assign(
  {},
  ...manifests.map((path) => JSON.parse(readFileSync(join(root, path), 'utf8')).scripts),
)
let actionlint = ''

/** Commands that neither a package.json nor the lists of checks and of operators' commands declare. */
function unknownCommands(text: string): string[] {
  const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '')
  return [
    ...named(/npm run (?:--silent )?([\w:-]+)/g).filter((name) => !scripts[name]),
    ...named(/npm run (?:--silent )?check -- ([\w:-]+)/g).filter((name) => !CHECKS[name]),
    ...named(/npm run (?:--silent )?ops -- ([\w:-]+)/g).filter((name) => !operatorCommands()[name]),
  ]
}

function lint(input: string) {
  // Without shellcheck, whose result would depend on the machine.
  const { status, stdout } = spawnSync(actionlint, ['-shellcheck=', '-pyflakes=', '-no-color', '-'], {
    input,
    cwd: root,
  })
  return { status, said: stdout.toString() }
}

beforeAll(() => {
  actionlint = execFileSync('bash', ['services/testkit/scripts/fetch-tool.sh', 'actionlint'], { cwd: root })
    .toString()
    .trim()
  // Built first if it is missing.
}, 180_000)

test.each(workflows)('actionlint accepts $name', ({ text }) => {
  expect(lint(text)).toEqual({ status: 0, said: '' })
})

test('jobs that publish install no packages, whose scripts would see the credentials', () => {
  const publishing = workflows.filter(({ text }) => text.includes('packages: write'))
  expect(publishing.map(({ name }) => name).sort()).toEqual(['chart.yml', 'images.yml'])
  const publishers = ['chart', 'images'].map((name) =>
    readFileSync(join(root, `deploy/releases/publish-${name}.sh`), 'utf8'),
  )
  for (const text of [...publishing.map((workflow) => workflow.text), ...publishers]) {
    expect(text).not.toMatch(/^[^#\n]*\bnp[mx] /m)
  }
})

test('passes secrets to single steps only', () => {
  for (const { name, text } of workflows) {
    for (const [line] of text.matchAll(/^.*\$\{\{ secrets\..*$/gm)) expect(line, name).toMatch(/^ {10}\S/)
  }
})

test.each(workflows)('$name pins actions by commit, declares permissions, and runs existing scripts', ({ text }) => {
  const uses = [...text.matchAll(/uses: (\S+)(.*)/g)]
  expect(uses.length).toBeGreaterThan(0)
  for (const [line, action, comment] of uses) {
    expect.soft(action, line).toMatch(/@[0-9a-f]{40}$/)
    expect.soft(comment, line).toMatch(/^ # v\d+\.\d+\.\d+$/)
  }
  expect(text).toMatch(/^permissions:\n {2}contents: read\n(?! )/m)
  expect(text).toMatch(/^concurrency:\n/m)
  expect(unknownCommands(text)).toEqual([])
  const files = [...text.matchAll(/(?:^|[ '])((?:deploy|services|\.ci)\/[\w./-]+)(?=[ \n'])/gm)].map(
    ([, file]) => file ?? '',
  )
  expect(files.filter((file) => !file.includes('*') && !existsSync(join(root, file)))).toEqual([])
})

test('every command that a file of the repository names exists', () => {
  const files = execFileSync(
    'git',
    ['grep', '--files-with-matches', 'npm run ', '--', '.', ':!deploy/test/workflows.test.ts'],
    { cwd: root },
  )
    .toString()
    .trim()
    .split('\n')
  const unknown = files.flatMap((file) =>
    unknownCommands(readFileSync(join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
  )
  expect(files.length).toBeGreaterThan(20)
  expect(unknown).toEqual([])
})

test.each(Object.entries(CHECKS))('check %s has a script and one line of description', (_, { script, description }) => {
  const scripts = typeof script === 'string' ? [script] : Object.values(script)
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(description).toMatch(/^\S.{10,100}$/)
})

const LISTS = [
  ['check', 'deploy/checks/run.ts', 'There is no check "nothing"', Object.keys(CHECKS)],
  ['ops', 'deploy/local/run-operator-command.ts', 'There is no command "nothing"', Object.keys(operatorCommands())],
] as const

test.each(LISTS)('npm run %s without a name lists all names; an unknown name exits with 2 and the list', (...list) => {
  const [, script, problem, names] = list
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' })
  const listed = run()
  expect([listed.status, listed.stdout.match(/^ {2}\S+/gm)?.map((name) => name.trim())]).toEqual([0, names])
  const unknown = run('nothing')
  expect([unknown.status, unknown.stdout]).toEqual([2, ''])
  expect(unknown.stderr).toContain(problem)
  expect(unknown.stderr).toContain(listed.stdout.split('\n').at(-2))
})
