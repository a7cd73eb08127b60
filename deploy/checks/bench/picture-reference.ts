// The ordinary way to serve files, as the READMEs of both packages show it: `static <directory>` is @fastify/static,
// `proxy <url>` is @fastify/http-proxy with default settings in front of it.
import httpProxy from '@fastify/http-proxy'
import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'

const [role, value = ''] = process.argv.slice(2)
const app = Fastify()
if (role === 'proxy') await app.register(httpProxy, { upstream: value })
else await app.register(fastifyStatic, { root: value })
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
