import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import { ValidatingProxy } from "./ValidatingProxy.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which test files register their services and read the proxy's findings. */
    readonly validatingProxy: string
  }
}

const document = new URL("../../../packages/domain/openapi.json", import.meta.url)

/** One proxy for all test files, because compiling the document takes longer than a file's tests. */
export default async (project: TestProject) => {
  const proxy = new ValidatingProxy(JSON.parse(readFileSync(document, "utf8")))
  const desk = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://desk")
    const address = searchParams.get("address")!
    response.end(JSON.stringify(pathname === "/front" ? await proxy.inFrontOf(address) : proxy.takeViolations(address)))
  })
  await new Promise<void>((listening) => desk.listen(0, "127.0.0.1", listening))
  project.provide("validatingProxy", `http://127.0.0.1:${(desk.address() as AddressInfo).port}`)

  return () => {
    proxy.close()
    desk.close()
    desk.closeAllConnections()
    const { checked, outside, operations } = proxy.tally
    process.stdout.write(
      `\nPrism checked ${checked} exchanges of ${operations.size} operations; ${outside} more were of no operation.\n`
    )
    const late = proxy.takeViolations()
    if (late.length > 0)
      throw new Error(`The document does not allow, and no test was left to fail:\n${late.join("\n")}`)
    if (checked === 0) throw new Error("No exchange went through the proxy")
  }
}
