const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** The name in a Host header, without the port. Undefined if the header is malformed. */
const hostName = (host: string | undefined) => {
  const address = `http://${host}`
  return host !== undefined && !/[/?#@\\]/u.test(host) && URL.canParse(address) ? new URL(address).hostname : undefined
}

/**
 * Whether a browser may sign in at a host: that of the public address, or this machine. Otherwise a foreign page could count as a page
 * of the service by pointing its own name at this machine (DNS rebinding). Ports differ behind proxies, so they are not compared.
 */
export const signInHosts = (publicUrl: string) => {
  const publicName = new URL(publicUrl).hostname
  return (host: string | undefined): boolean => {
    const name = hostName(host)
    return name !== undefined && (name === publicName || loopback.has(name))
  }
}
