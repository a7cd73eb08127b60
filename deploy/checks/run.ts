import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { listCommands } from '../local/list-commands.ts'
import { root } from '../local/paths.ts'

// `npm run check -- <name> [arguments]`: benchmarks, loads, fault runs, drills and tools. Without a name it lists them.

export interface Check {
  script: string
  description: string
  /** What the machine must have besides npm's packages. */
  needs?: string
}

export const CHECKS: Record<string, Check> = {
  attack: {
    script: 'deploy/attacks/run.ts',
    description: 'attacks a running system from addresses of this machine: what a stranger must not be able to do',
  },
  'bench:allocator': {
    script: 'deploy/images/allocator.ts',
    description: "rendering in the worker's image with jemalloc and with glibc's allocator: memory and time",
    needs: 'Docker and the images',
  },
  'bench:export': {
    script: 'deploy/checks/bench/export.ts',
    description: 'download of an export compared with its originals from MinIO itself: rate and memory',
    needs: 'MinIO',
  },
  'bench:fix-locations': {
    script: 'services/media/bench/fix-locations.ts',
    description: '10,000 photos get their places while a gallery page is requested repeatedly',
  },
  'bench:gallery': {
    script: 'services/media/bench/gallery.ts',
    description: "media's API on a gallery of 100,000 photos compared with one of 100",
  },
  'bench:map': {
    script: 'services/media/bench/map.ts',
    description: 'tiles of the map, its extent and lists of an area in galleries of 100, 100,000 and 1,000,000 photos',
  },
  'bench:map-page': {
    script: 'deploy/checks/bench/map-page.ts',
    description: 'the map of galleries of 100 and 100,000 photos: first photos, bytes, longest task',
    needs: 'Chromium',
  },
  'bench:orders': {
    script: 'services/print-orders/bench/submit.ts',
    description: "submits of print orders without the time of the partner's calls",
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
  'bench:scroll': {
    script: 'deploy/checks/bench/scroll.ts',
    description: 'longest task while galleries of 5,000 and 100,000 photos are scrolled',
    needs: 'Chromium',
  },
  'bench:share-page': {
    script: 'deploy/checks/bench/share-page.ts',
    description: 'the voting page on slow 4G, its JavaScript, and the cost of 5,000 photos',
    needs: 'Chromium',
  },
  'bench:sign-in': {
    script: 'deploy/checks/bench/sign-in.ts',
    description: 'response times of votes without and beside 60 sign-ins a second',
  },
  'bench:start': {
    script: 'deploy/checks/bench/start.ts',
    description: 'seconds until a system is ready, and its memory at rest',
  },
  'bench:statistics': {
    script: 'services/auth/bench/statistics.ts',
    description: 'statistics and audit log with 100,000 users and a million entries, compared with 100 users',
  },
  'bench:upload': {
    script: 'deploy/checks/bench/upload.ts',
    description: 'every way of an upload compared with bare PUTs to MinIO and with two bare Node processes',
    needs: 'MinIO',
  },
  'bench:users': {
    script: 'services/auth/bench/users.ts',
    description: "the administrators' list of 100,000 users compared with one of 100",
  },
  'bench:votes': {
    script: 'services/folders/bench/votes.ts',
    description: 'durable votes through the gateway compared with two references',
  },
  'chart:dry-run': {
    script: 'deploy/checks/chart/dry-run.ts',
    description: 'a cluster validates everything that the chart renders, and changes nothing',
    needs: 'kubectl with a cluster',
  },
  'chart:helm4': {
    script: 'deploy/checks/chart/helm4.ts',
    description: 'compares what Helm 3 and Helm 4 render',
    needs: 'Go',
  },
  'chart:schemas': {
    script: 'deploy/checks/chart/schemas.ts',
    description: 'generates the schemas that the tests of the chart validate against',
    needs: 'kubectl with a cluster, and Go',
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
  'faults:abandoned': {
    script: 'deploy/checks/faults/abandoned.ts',
    description: '10,000 upload sessions that nobody completes; when their time is over nothing of them may stay',
    needs: 'MinIO, unless `--store dir`',
  },
  'faults:orders': {
    script: 'deploy/checks/faults/orders.ts',
    description: 'print orders while processes are killed and the partner fails; none may be lost or placed twice',
    needs: 'MinIO',
  },
  'faults:upload': {
    script: 'deploy/checks/faults/upload.ts',
    description: 'uploads while processes are killed and lines break; no acknowledged photo may be lost (`--way …`)',
    needs: 'MinIO, unless `--store dir`',
  },
  'faults:votes': {
    script: 'deploy/checks/faults/votes.ts',
    description: 'votes while processes are killed; no acknowledged vote may be lost',
  },
  'generate:photos': {
    script: 'deploy/local/generate-photos.ts',
    description: 'adds 100,000 photos to the gallery of a user of the running system (`--user <name>`)',
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
  'load:mails': {
    script: 'services/auth/bench/mails.ts',
    description: '10,000 mails through a server that fails every fifth time; each must be delivered',
  },
  'load:orders': {
    script: 'services/print-orders/bench/status.ts',
    description: "10,000 open orders become due: the poller keeps the partner's rate limit, in the computed time",
  },
  'load:shared-cache': {
    script: 'deploy/checks/shared-cache/run.ts',
    description: 'pictures through nginx and Varnish while the owner takes them back; none is served two seconds later',
    needs: 'nginx and varnishd',
  },
  'load:upload': {
    script: 'deploy/checks/load/run-upload.ts',
    description: 'k6 uploads photos; every acknowledged one is compared afterwards',
  },
  'load:visits': {
    script: 'deploy/checks/load/run-visits.ts',
    description: 'k6 plays visits with pictures and votes; every acknowledged choice is compared afterwards',
  },
  'load:votes': {
    script: 'deploy/checks/load/run-votes.ts',
    description: 'k6 votes; every acknowledged choice is compared afterwards',
  },
  'metadata:compare': {
    script: 'services/media/scripts/compare-metadata.ts',
    description: 'compares the metadata that ExifTool and Skyfolio read from the images of a folder',
    needs: 'ExifTool',
  },
  'seed:votes': {
    script: 'deploy/checks/load/seed-votes.ts',
    description: 'creates public folders for loads at BASE_URL',
  },
  'simulate:flags': {
    script: 'services/folders/bench/flags.ts',
    description: 'how often each flag of ballots hits scripts and errs on people, by seeded models of both',
  },
  'test:previous-release': {
    script: 'deploy/releases/test-previous.ts',
    description: "runs the previous release's tests on this checkout's schema",
    needs: 'the git history with tags',
  },
}

if (import.meta.main) main()

function main(): void {
  const [name, ...rest] = process.argv.slice(2)
  if (!name) {
    console.log(`npm run check -- <name> [arguments]\n\n${listCommands(CHECKS)}`)
    return
  }
  const check = CHECKS[name]
  if (!check) {
    console.error(`There is no check "${name}". There are:\n\n${listCommands(CHECKS)}`)
    process.exit(2)
  }
  const args = rest[0] === '--' ? rest.slice(1) : rest
  const child = spawn(process.execPath, [join(root, check.script), ...args], { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
