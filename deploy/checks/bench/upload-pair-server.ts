// The least that two Node processes can do with an upload: `proxy <url>` pipes a request to the handler, `handler` hashes the body
// once and pipes it to the URL that the client names. Nothing is parsed, checked or stored besides.
import { createHash } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request as open, type ServerResponse } from 'node:http'

const [role, upstream = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })

function send(request: IncomingMessage, response: ServerResponse, url: string, headers: IncomingMessage['headers']) {
  const outgoing = open(url, { method: 'PUT', agent, headers })
  outgoing.on('error', (error) => response.destroy(error))
  request.pipe(outgoing)
  return outgoing
}

function proxy(request: IncomingMessage, response: ServerResponse): void {
  send(request, response, upstream, request.headers).on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const hash = createHash('sha256')
  request.on('data', (chunk) => hash.update(chunk))
  const { 'content-length': length, 'x-amz-checksum-sha256': checksum } = request.headers
  const headers = { 'content-length': length, ...(checksum && { 'x-amz-checksum-sha256': checksum }) }
  send(request, response, String(request.headers['x-target']), headers).on('response', (answer) => {
    answer.resume().on('end', () => {
      response.writeHead(answer.statusCode ?? 502, { etag: answer.headers.etag ?? '' })
      response.end(hash.digest('hex'))
    })
  })
}

createServer((request, response) => {
  if (request.method === 'GET') response.end('ready')
  else if (role === 'proxy') proxy(request, response)
  else handle(request, response)
}).listen(Number(process.env.PORT), '127.0.0.1')
