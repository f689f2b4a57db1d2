import { isPublicAddress, literalAddress, refusedHost } from "@edp/server/platform/network/publicAddress"
import { describe, expect, test } from "vitest"

/** Checks the host as `new URL` normalizes it, which knows every spelling of an IPv4 address. */
const parseHost = (host: string) => new URL(`http://${host}/`).hostname

describe("an address is rejected", () => {
  test.each([
    ["this machine", "127.0.0.1"],
    ["this machine, another loopback address", "127.8.9.10"],
    ["this machine, in octal", "0177.0.0.1"],
    ["this machine, in hexadecimal", "0x7f.0.0.1"],
    ["this machine, as one number", "2130706433"],
    ["this machine, as one hexadecimal number", "0x7f000001"],
    ["this machine, shortened", "127.1"],
    ["this machine, in full-width digits", "１２７.０.０.１"],
    ["this machine, in enclosed digits", "①②⑦.⓪.⓪.①"],
    ["this machine, IPv6", "[::1]"],
    ["no address, IPv6", "[::]"],
    ["this machine, IPv4 mapped", "[::ffff:127.0.0.1]"],
    ["this machine, IPv4 mapped in hexadecimal", "[::ffff:7f00:1]"],
    ["this machine, IPv4 compatible", "[::127.0.0.1]"],
    ["a public address, IPv4 compatible", "[::8.8.8.8]"],
    ["a public address, translated within a network", "[64:ff9b:1::8.8.8.8]"],
    ["site-local, IPv6", "[fec0::1]"],
    ["an unrouted IPv6 address", "[4000::1]"],
    ["discarded, IPv6", "[100::1]"],
    ["this machine, translated", "[64:ff9b::7f00:1]"],
    ["this machine, 6to4", "[2002:7f00:1::]"],
    ["no address", "0.0.0.0"],
    ["zero", "0"],
    ["a private network, 10/8", "10.1.2.3"],
    ["a private network, 172.16/12", "172.31.255.254"],
    ["a private network, 192.168/16", "192.168.1.1"],
    ["a carrier's network", "100.64.0.1"],
    ["the metadata service", "169.254.169.254"],
    ["the metadata service, IPv6", "[fd00:ec2::254]"],
    ["link-local, IPv6", "[fe80::1]"],
    ["unique local, IPv6", "[fc00::1]"],
    ["broadcast", "255.255.255.255"],
    ["multicast", "224.0.0.1"],
    ["multicast, IPv6", "[ff02::1]"],
    ["benchmarks", "198.18.0.1"],
    ["documentation", "192.0.2.1"],
    ["documentation, IPv6", "[2001:db8::1]"]
  ])("%s: %s", (_, spelling) => {
    const host = parseHost(spelling)
    expect(literalAddress(host)).toBeDefined()
    expect(refusedHost(host)).toBeDefined()
  })
})

test.each([
  "localhost",
  "LOCALHOST.",
  "api.localhost",
  "printer.local",
  "metadata.google.internal",
  "router.lan",
  "db"
])("a name is rejected whatever it resolves to: %s", (name) => {
  expect(refusedHost(name)).toBe("Must be a public host name")
})

test.each(["8.8.8.8", "[2606:4700:4700::1111]", "example.com", "localhost.example.com", "xn--bcher-kva.example"])(
  "a host is accepted: %s",
  (host) => {
    expect(refusedHost(parseHost(host))).toBeUndefined()
  }
)

test("a text that is not an address is not a public one", () => {
  for (const text of ["", "example.com", "1.2.3", "8.8.8.8:80", "fe80::1%eth0"])
    expect(isPublicAddress(text)).toBe(false)
})
