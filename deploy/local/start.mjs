// Entry of `npm start`, `npm test` and most other scripts of the root. Plain JavaScript for the Node of the machine (18 or
// later): it installs the project's packages when they are missing or stale, then runs a script with the project's own
// Node 24.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const node = join(root, 'node_modules/node/bin/node')
const stamp = join(root, 'node_modules/.skyfolio-lock')
const [script, ...args] = process.argv.slice(2)

function fail(message) {
  console.error(`\n${message}\n`)
  process.exit(1)
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled() {
  return existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash()
}

function install() {
  console.log('Installing packages (npm ci) …')
  const done = spawnSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (done.error) fail(`npm could not be started: ${done.error.message}`)
  if (done.status !== 0) fail('npm ci failed: see its message above. Is the npm registry reachable?')
  if (!existsSync(node)) fail(`The npm package "node" contains no Node.js for ${process.platform} ${process.arch}.`)
  writeFileSync(stamp, lockHash())
}

if (Number(process.versions.node.split('.')[0]) < 18) {
  fail(`Node.js 18 or later is required; this is ${process.version}.`)
}
if (!script) fail('Usage: node deploy/local/start.mjs <script.ts> [arguments]')
if (!isInstalled()) install()

const bin = join(root, 'node_modules/.bin')
const child = spawn(node, [join(root, script), ...args], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${dirname(node)}:${bin}:${process.env.PATH}`,
    // With a cache of compiled code processes start sooner and use less memory.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.skyfolio-compiled'),
  },
})
// Signals are forwarded; the child decides when it exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
