import { freePort } from '@skyfolio/testkit/servers'

// Tells 200 free ports, and holds them until it is killed.
const ports = await Promise.all(Array.from({ length: 200 }, freePort))
console.log(ports.join(' '))
setInterval(() => {}, 60_000)
