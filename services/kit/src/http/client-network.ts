import { isIPv4, isIPv6 } from 'node:net'
import { compile } from '@fastify/proxy-addr'

/** As some proxies write an address into X-Forwarded-For: in brackets, or with a port behind it. */
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/

/** A client's address without what a proxy wrote around it; an IPv4-mapped IPv6 address is the IPv4 address. */
export function clientAddress(text: string): string {
  if (isIPv4(text)) return text
  const address = IN_BRACKETS.exec(text)?.[1] ?? IPV4_WITH_PORT.exec(text)?.[1] ?? text
  return isIPv6(address) ? (mappedIPv4(groupsOf(address)) ?? address) : address
}

/**
 * The key of everything that is counted by address, limits and flags alike: the address itself, or the /64 network of an
 * IPv6 address, since a household usually has a whole one.
 */
export function networkOf(text: string): string {
  return prefixOf(text, 4)
}

/**
 * The key of what is divided among clients: the address itself, or the /48 of an IPv6 address, which is what a site has: whoever has one
 * of its 65,536 networks often has all.
 */
export function siteOf(text: string): string {
  return prefixOf(text, 3)
}

function prefixOf(text: string, length: number): string {
  const address = clientAddress(text)
  // For most addresses this spares the check for IPv6, which costs more than the rest.
  if (!address.includes(':') || !isIPv6(address)) return address
  const groups = groupsOf(address).slice(0, length)
  return `${groups.map((group) => group.toString(16)).join(':')}::/${length * 16}`
}

/** Whether a text is an address or a network as `proxyTrust` takes it. */
export function isProxy(text: string): boolean {
  try {
    return compile(text) !== null
  } catch {
    return false
  }
}

/** Whether an address of X-Forwarded-For is that of one of these proxies, also with a port behind it. */
export function proxyTrust(proxies: string[]): (address: string, hop: number) => boolean {
  const isTrusted = compile(proxies)
  return (address, hop) => isTrusted(clientAddress(address), hop)
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [plain = ''] = address.split('%')
  const [head = [], tail] = plain.split('::').map(numbersOf)
  if (!tail) return head
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function numbersOf(part: string): number[] {
  return part.split(':').flatMap((group) => {
    if (group === '') return []
    if (!group.includes('.')) return Number.parseInt(group, 16)
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function mappedIPv4(groups: number[]): string | null {
  const [a, b, c, d, e, marker, high = 0, low = 0] = groups
  if (a || b || c || d || e || marker !== 0xffff) return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
