import { expect, test } from 'vitest';
import { allowedNames, isLoopback, refusedName, urlHost } from './auth.ts';

const loopback = allowedNames({ host: '127.0.0.1', port: 7420, hosts: [], origins: [] });

test.each(['127.0.0.1:7420', 'localhost:7420', 'LocalHost:7420', '[::1]:7420'])(
  'a loopback server answers to %s',
  (host) => {
    expect(refusedName(loopback, { host })).toBeNull();
  },
);

test.each([
  undefined,
  '',
  'evil.example',
  'evil.example:7420',
  'localhost',
  'localhost:80',
  '127.0.0.1.evil.example:7420',
])('a loopback server refuses the host %s', (host) => {
  expect(refusedName(loopback, { host })).toContain('Host');
});

test('an origin must be the server itself or allowed', () => {
  const host = 'localhost:7420';
  expect(refusedName(loopback, { host, origin: 'http://localhost:7420' })).toBeNull();
  expect(refusedName(loopback, { host, origin: 'http://evil.example' })).toContain('Origin');
  expect(refusedName(loopback, { host, origin: 'null' })).toContain('Origin');
});

test('an allowed host without a port allows every port, one with a port only that', () => {
  const allowed = allowedNames({
    host: '0.0.0.0',
    port: 7420,
    hosts: ['Baton.example.com', 'other.example:8443'],
    origins: ['https://baton.example.com'],
  });
  const origin = 'https://baton.example.com';
  expect(refusedName(allowed, { host: 'baton.example.com', origin })).toBeNull();
  expect(refusedName(allowed, { host: 'baton.example.com:443', origin })).toBeNull();
  expect(refusedName(allowed, { host: 'other.example:8443' })).toBeNull();
  expect(refusedName(allowed, { host: 'other.example' })).toContain('Host');
  expect(refusedName(allowed, { host: '0.0.0.0:7420' })).toContain('Host');
});

test('a server on an address answers to that address', () => {
  const allowed = allowedNames({ host: '192.0.2.7', port: 80, hosts: [], origins: [] });
  expect(refusedName(allowed, { host: '192.0.2.7:80' })).toBeNull();
  expect(refusedName(allowed, { host: '192.0.2.7' })).toBeNull();
  expect(refusedName(allowed, { host: '192.0.2.8' })).toContain('Host');
});

test('only addresses of this machine are loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '192.0.2.7', 'baton.example.com'].some(isLoopback)).toBe(false);
});

test('an IPv6 address is in brackets in a URL', () => {
  expect(urlHost('::1')).toBe('[::1]');
  expect(urlHost('127.0.0.1')).toBe('127.0.0.1');
});
