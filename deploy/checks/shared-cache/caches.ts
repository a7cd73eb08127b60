import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, freePort, type RunningServer, startProcess } from '@skyfolio/testkit/servers'
import { root } from '../../local/paths.ts'

/** A caching proxy in front of a gateway, configured as docs/operations.md says. */
export interface SharedCache {
  name: string
  url: string
  /** Addresses of the responses that it has stored; null when it cannot list them. */
  stored(): Promise<string[] | null>
  stop(): Promise<void>
}

type Start = (gatewayUrl: string, folder: string) => Promise<SharedCache>

const CONFIGURATION = join(root, 'deploy/caching')
const PLACES = ['/usr/sbin', '/usr/local/sbin']

/** The proxies that the check puts in front of a system. */
export const SHARED_CACHES: Record<string, Start> = {
  nginx: (gatewayUrl, folder) => startNginx('nginx', gatewayUrl, folder, (text) => text),
  'nginx that keeps all that headers permit': (gatewayUrl, folder) =>
    startNginx('nginx that keeps all that headers permit', gatewayUrl, folder, keepEverything),
  varnish: startVarnish,
}

/** Replaces what an operator replaces. @throws Error when the configuration no longer has it */
function adapt(text: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((adapted, [from, to]) => {
    if (!adapted.includes(from)) throw new Error(`The configuration in deploy/caching has no ${from}`)
    return adapted.replaceAll(from, to)
  }, text)
}

/** nginx as others may have configured it: every response that allows it is stored, for whatever cookies and query. */
function keepEverything(text: string): string {
  const [, pictures] = text.split(/location ~ .*\{/)
  const [head] = text.split('location / {')
  return adapt(`${head}location / {${pictures}`, {
    'proxy_set_header Cookie "";': '',
    'proxy_cache_key $host$uri$clock_second': 'proxy_cache_key $host$request_uri$clock_second',
    'proxy_cache_bypass $http_authorization $args;': '',
    'proxy_no_cache $http_authorization $args;': '',
  })
}

async function program(name: string, packageName: string): Promise<string> {
  const path = await findProgram({ programs: [name], folders: PLACES })
  if (!path) throw new Error(`${name} is missing: apt-get install --no-install-recommends ${packageName}`)
  return path
}

async function startNginx(
  name: string,
  gatewayUrl: string,
  folder: string,
  change: (text: string) => string,
): Promise<SharedCache> {
  const command = await program('nginx', 'nginx-light')
  const port = await freePort()
  const store = join(folder, 'stored')
  await mkdir(join(folder, 'logs'), { recursive: true })
  const recommended = change(await readFile(join(CONFIGURATION, 'nginx.conf'), 'utf8'))
  const site = adapt(recommended, {
    '127.0.0.1:8080': new URL(gatewayUrl).host,
    'listen 80;': `listen 127.0.0.1:${port};`,
    '/var/cache/nginx/skyfolio': store,
    // What was stored is listed at the end.
    'inactive=10s': 'inactive=10m',
  })
  await writeFile(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const lines = [
    'daemon off;',
    // Its workers must reach the folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/logs/error.log;`,
    'events { worker_connections 2048; }',
    'http {',
    'access_log off;',
    ...temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`),
    `include ${folder}/site.conf;`,
    '}',
  ]
  await writeFile(join(folder, 'nginx.conf'), lines.join('\n'))
  const args = ['-p', folder, '-e', join(folder, 'logs/error.log'), '-c', join(folder, 'nginx.conf')]
  const server = await startCache('nginx', command, args, port, folder)
  return { name, url: server.url, stored: () => listStored(store), stop: () => server.stop() }
}

/** The keys of nginx's stored responses, which begin with the host. */
async function listStored(store: string): Promise<string[]> {
  const entries = await readdir(store, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')))
  return texts.map((text) => /^KEY: [\d.]+(.*)\d{10}$/m.exec(text)?.[1] ?? text.slice(0, 200))
}

async function startVarnish(gatewayUrl: string, folder: string): Promise<SharedCache> {
  const command = await program('varnishd', 'varnish')
  const port = await freePort()
  await mkdir(folder, { recursive: true })
  const recommended = await readFile(join(CONFIGURATION, 'varnish.vcl'), 'utf8')
  const { hostname, port: gatewayPort } = new URL(gatewayUrl)
  const vcl = adapt(recommended, { '"127.0.0.1"': `"${hostname}"`, '"8080"': `"${gatewayPort}"` })
  await writeFile(join(folder, 'skyfolio.vcl'), vcl)
  const args = ['-F', '-j', 'none', '-n', join(folder, 'state'), '-f', join(folder, 'skyfolio.vcl')]
  const sizes = ['-a', `127.0.0.1:${port}`, '-s', 'malloc,256m']
  const server = await startCache('varnish', command, [...args, ...sizes], port, folder)
  return { name: 'varnish', url: server.url, stored: async () => null, stop: () => server.stop() }
}

function startCache(
  name: string,
  command: string,
  args: string[],
  port: number,
  folder: string,
): Promise<RunningServer> {
  const url = `http://127.0.0.1:${port}`
  const ready = async () => {
    if (!(await fetch(`${url}/api/config`)).ok) throw new Error('no response through it')
  }
  return startProcess({ name, command, args, url, logFile: join(folder, 'output.log'), stopSignal: 'TERM', ready })
}
