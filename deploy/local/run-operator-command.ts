import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { composeInForeground, runningServices } from './docker.ts'
import { type CommandStep, listCommands, operatorCommands } from './operator-commands.ts'
import { root } from './paths.ts'
import { isAlive, readRuntime } from './runtime-file.ts'

// `npm run ops -- <name> [arguments]`, and `npm run admin`. Without a name it lists the commands. The environment names the
// servers, or else the running local system does; a system in Docker runs the command in its containers.
const [name, ...args] = process.argv.slice(2)

async function main(): Promise<number> {
  const commands = operatorCommands()
  if (!name) {
    process.stdout.write(`npm run ops -- <name> [arguments]\n\n${listCommands(commands)}\n`)
    return 0
  }
  const steps = commands[name]?.steps
  if (!steps) {
    process.stderr.write(`There is no command "${name}". There are:\n\n${listCommands(commands)}\n`)
    return 2
  }
  for (const [index, { component, file, args: first = [] }] of steps.entries()) {
    const all = index === steps.length - 1 ? [...first, ...args] : first
    const code = component ? await runStep({ component, file, args: all }) : await runHere({ file, args: all }, {})
    if (code !== 0) return code
  }
  return 0
}

async function runStep(step: Required<CommandStep>): Promise<number> {
  if (process.env.DATABASE_URL || process.env.NATS_URL) return runHere(step, {})
  const runtime = await readRuntime()
  const env = runtime && (await isAlive(runtime.runner)) ? runtime.env[step.component] : undefined
  if (env) return runHere(step, env)
  if ((await runningServices()).includes(step.component)) return runInContainer(step)
  process.stderr.write(
    'Skyfolio is not running here. Start it with `npm start`, or set the addresses of its servers in the environment.\n',
  )
  return 1
}

function runHere(step: { file: string; args: string[] }, env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [join(root, step.file), ...step.args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

function runInContainer(step: Required<CommandStep>): Promise<number> {
  const terminal = process.stdin.isTTY && process.stdout.isTTY ? [] : ['--no-TTY']
  return composeInForeground(['exec', ...terminal, step.component, 'node', step.file, ...step.args])
}

process.exitCode = await main()
