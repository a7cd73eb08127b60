import { expect, test } from 'vitest'
import { clientAddress, networkOf, proxyTrust, siteOf } from '../src/http/client-network.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:51234', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:51234', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('the network of %s is %s', (text, network) => {
  expect(networkOf(text)).toBe(network)
  expect(networkOf(clientAddress(text))).toBe(network)
})

test('the site of an address is its /48, and that of an IPv4 address the address', () => {
  expect(siteOf('[2001:db8:1:2::9]:443')).toBe('2001:db8:1::/48')
  expect(siteOf('203.0.113.9:80')).toBe('203.0.113.9')
})

test('an address loses brackets and port, and is otherwise as it was', () => {
  expect(clientAddress('[2001:db8::9]:443')).toBe('2001:db8::9')
  expect(clientAddress('2001:db8::9')).toBe('2001:db8::9')
  expect(clientAddress('198.51.100.7:80')).toBe('198.51.100.7')
})

test('trusts the named proxies and networks, also with a port behind their addresses, and nobody else', () => {
  const isTrusted = proxyTrust(['10.0.0.0/8', '2001:db8:9::/48', 'loopback'])
  for (const proxy of ['10.1.2.3', '10.1.2.3:8080', '::ffff:10.1.2.3', '[2001:db8:9::1]:8080', '127.0.0.1', '::1']) {
    expect(isTrusted(proxy, 0), proxy).toBe(true)
  }
  for (const other of ['11.1.2.3', '11.1.2.3:8080', '[2001:db8:8::1]:8080', 'unknown', '', '10.1.2.3:x']) {
    expect(isTrusted(other, 0), other).toBe(false)
  }
})
