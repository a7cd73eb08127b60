import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { listCommands } from '../local/operator-commands.ts'
import { root } from '../local/paths.ts'

// `npm run check -- <name> [arguments]`: benchmarks, loads, fault runs, drills and tools. Without a name it lists them.

export interface Check {
  /** Of a check in parts, the script of each: the first argument names one. */
  script: string | Record<string, string>
  description: string
  /** What the machine must have besides npm's packages. */
  needs?: string
}

export const CHECKS: Record<string, Check> = {
  attack: {
    script: 'deploy/attacks/run.ts',
    description: 'attacks a running system from addresses of this machine: what a stranger must not be able to do',
  },
  'bench:contest': {
    script: 'deploy/checks/bench/contest.ts',
    description: 'results and presenter mode with 5,000 photos and 100,000 ballots, beside the voting page',
  },
  'bench:gallery': {
    script: {
      api: 'services/media/bench/gallery.ts',
      page: 'deploy/checks/bench/gallery-page.ts',
      ground: 'deploy/checks/bench/ground.ts',
    },
    description:
      'galleries of 100,000 photos: `api`; `page`, scrolled and as a map; `ground`, 200 photos on the ground',
    needs: 'Chromium for `page` and `ground`',
  },
  'bench:pictures': {
    script: 'deploy/checks/bench/pictures.ts',
    description: 'pictures of a public folder compared with a file server behind a proxy, and with MinIO',
    needs: 'MinIO',
  },
  'bench:renditions': {
    script: 'services/media/bench/renditions.ts',
    description: 'renditions compared with a plain loop over sharp',
  },
  'bench:share-page': {
    script: 'deploy/checks/bench/share-page.ts',
    description: 'the voting page on slow 4G, with 30 and with 5,000 photos',
    needs: 'Chromium',
  },
  'bench:start': {
    script: 'deploy/checks/bench/start.ts',
    description: 'seconds until a system is ready, and its memory at rest',
  },
  'bench:upload': {
    script: 'deploy/checks/bench/upload.ts',
    description: 'every way of an upload compared with bare PUTs to MinIO and with two bare Node processes',
    needs: 'MinIO',
  },
  'bench:votes': {
    script: 'services/folders/bench/votes.ts',
    description: 'durable votes through the gateway compared with two references',
  },
  'cluster:test': {
    script: 'deploy/checks/cluster/run.ts',
    description: 'the chart on a cluster: install, upgrade under load, scale, drain, uninstall and more',
    needs: 'kubectl with a cluster, helm, and the images',
  },
  'drill:restore': {
    script: 'deploy/checks/restore-drill/drill.ts',
    description: 'backs up a system in use, restores it into an empty one, and compares both',
    needs: 'psql, pg_dump and rclone; MinIO for `--store s3`',
  },
  'faults:orders': {
    script: 'deploy/checks/faults/orders.ts',
    description: 'print orders while processes and partner fail (or `--topology production`); none lost or doubled',
    needs: 'MinIO; for the topology also etcd, PgBouncer, PostgreSQL 15 and libfaketime of Debian',
  },
  'faults:upload': {
    script: 'deploy/checks/faults/upload.ts',
    description: 'uploads while processes die (or `--topology production`); nothing lost, nothing `--abandoned` stays',
    needs: 'MinIO; for the topology as faults:orders',
  },
  'faults:votes': {
    script: 'deploy/checks/faults/votes.ts',
    description: 'votes while processes die (or `--topology production`); no acknowledged vote is lost',
    needs: 'for the topology as faults:orders',
  },
  'images:check': {
    script: 'deploy/images/check.ts',
    description: 'inspects the built images of a tag: files, packages, settings, start',
    needs: 'Docker and the images',
  },
  lighthouse: {
    script: 'deploy/checks/bench/lighthouse.ts',
    description: "Lighthouse's mobile scores of public and private screens, compared with their goals",
    needs: 'Chromium, and access to the package registry',
  },
  'load:upload': {
    script: 'deploy/checks/load/run-upload.ts',
    description: 'k6 uploads photos; every acknowledged one is compared afterwards',
  },
  'load:visits': {
    script: 'deploy/checks/load/run-visits.ts',
    description: 'k6 plays visits with pictures and votes; `--caches`: pictures through shared caches, and withdrawn',
    needs: 'nginx and varnishd for `--caches`',
  },
  'load:votes': {
    script: 'deploy/checks/load/run-votes.ts',
    description: 'k6 votes; every acknowledged choice is compared afterwards',
  },
  seed: {
    script: { photos: 'deploy/local/generate-photos.ts', votes: 'deploy/checks/load/seed-votes.ts' },
    description: '`photos`: 100,000 for a user of the running system; `votes`: public folders at BASE_URL for loads',
  },
  'simulate:flags': {
    script: 'services/folders/bench/flags.ts',
    description: 'how often each flag of ballots hits scripts and errs on people, by seeded models of both',
  },
}

if (import.meta.main) main()

function main(): void {
  const [name, ...rest] = process.argv.slice(2)
  if (!name) {
    console.log(`npm run check -- <name> [arguments]\n\n${listCommands(CHECKS)}`)
    return
  }
  const check = CHECKS[name] ?? fail(`There is no check "${name}". There are:\n\n${listCommands(CHECKS)}`)
  const args = rest[0] === '--' ? rest.slice(1) : rest
  if (typeof check.script === 'string') run(check.script, args)
  else runPart(name, check.script, args)
}

function runPart(name: string, scripts: Record<string, string>, [part = '', ...args]: string[]): void {
  run(scripts[part] ?? fail(`Name a part of ${name}: ${Object.keys(scripts).join(', ')}.`), args)
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

function run(file: string, args: string[]): void {
  const child = spawn(process.execPath, [join(root, file), ...args], { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
