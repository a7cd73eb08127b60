// The least that two Node processes can do, which benchmarks are compared with. `files <directory>` is @fastify/static, and
// `file-proxy <url>` @fastify/http-proxy in front of it, as the READMEs of both packages show it. `proxy <url>` pipes an upload to
// `handler`, which hashes the body once and pipes it to the URL that the client names. Nothing is parsed, checked or stored besides.
import { createHash } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http'
import httpProxy from '@fastify/http-proxy'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'

const [role, value = ''] = process.argv.slice(2)
const address = { host: '127.0.0.1', port: Number(process.env.PORT) }
const agent = new Agent({ keepAlive: true })

function send(request: IncomingMessage, response: ServerResponse, url: string, headers: IncomingMessage['headers']) {
  const outgoing = open(url, { method: 'PUT', agent, headers })
  outgoing.on('error', (error) => response.destroy(error))
  request.pipe(outgoing)
  return outgoing
}

function proxy(request: IncomingMessage, response: ServerResponse): void {
  send(request, response, value, request.headers).on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const hash = createHash('sha256')
  request.on('data', (chunk) => hash.update(chunk))
  const headers = { 'content-length': request.headers['content-length'] }
  send(request, response, String(request.headers['x-target']), headers).on('response', (answer) => {
    answer.resume().on('end', () => {
      response.writeHead(answer.statusCode ?? 502)
      response.end(hash.digest('hex'))
    })
  })
}

if (role === 'files' || role === 'file-proxy') {
  const app = Fastify()
  if (role === 'file-proxy') await app.register(httpProxy, { upstream: value })
  else await app.register(fastifyStatic, { root: value })
  await app.listen(address)
} else {
  createServer((request, response) => {
    if (request.method === 'GET') response.end('ready')
    else if (role === 'proxy') proxy(request, response)
    else handle(request, response)
  }).listen(address)
}
