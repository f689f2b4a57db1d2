/**
 * A person signs in at the simulated manufacturer, on a server's own pages.
 *
 * @param baseUrl Where the server listens; its pages may be published under another address.
 * @returns The path and query with which the person comes back.
 */
export const signInAtSimulator = async (
  baseUrl: string,
  authorizationUrl: string,
  { account = "sunny", decision = "approve" } = {}
): Promise<string> => {
  const { pathname, search, searchParams } = new URL(authorizationUrl)
  const answer = await fetch(`${baseUrl}${pathname}${search}`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ ...Object.fromEntries(searchParams), account, decision })
  })
  const location = answer.headers.get("location")
  if (location === null) throw new Error(`The sign-in was answered ${answer.status}: ${await answer.text()}`)
  const back = new URL(location, baseUrl)
  return `${back.pathname}${back.search}`
}

/** Comes back from the manufacturer in headless mode: the URL to which the person is sent on. */
export const returnFrom = async (url: string): Promise<URL> => {
  const answer = await fetch(url, { redirect: "manual" })
  const location = answer.headers.get("refresh")?.replace(/^0; url=/u, "") ?? null
  if (location === null) throw new Error(`The callback was answered ${answer.status}: ${await answer.text()}`)
  return new URL(location)
}
