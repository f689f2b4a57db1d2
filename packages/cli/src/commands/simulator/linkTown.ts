import type { GrowTown, SimulatorAccount } from "@edp/domain/accounts/Simulator"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { Connection, request } from "../../kernel/Connection.ts"
import { Output, showTable } from "../../kernel/Output.ts"
import { patiently } from "../../kernel/patience.ts"
import type { Column } from "../../kernel/table.ts"

const owners = [
  ["Ada", "Alvarez"],
  ["Ben", "Brooks"],
  ["Cora", "Chen"],
  ["Dan", "Diaz"],
  ["Elena", "Evans"],
  ["Femi", "Flores"],
  ["Grace", "Garcia"],
  ["Hugo", "Hall"]
] as const

interface Home {
  readonly account: string
  readonly address: string
  readonly devices: number
  readonly status: string
}

const columns: ReadonlyArray<Column<Home>> = [
  { title: "ACCOUNT", value: ({ account }) => account, whole: true },
  { title: "SITE", value: ({ address }) => address },
  { title: "DEVICES", value: ({ devices }) => devices, right: true },
  { title: "STATUS", value: ({ status }) => status }
]

/** An address of the platform on the server that this command speaks to. */
const here = (url: string, baseUrl: string) => {
  const { hash, pathname, search } = new URL(url)
  return new URL(pathname + search + hash, baseUrl).href
}

/** Does what the browser of an owner does: allows access on the manufacturer's page, and goes back to the platform. */
const allowAccess = Effect.fnUntraced(function* (url: string, account: string) {
  const http = yield* HttpClient.HttpClient
  const { baseUrl } = yield* (yield* Connection).profile
  const form = { ...Object.fromEntries(new URL(url).searchParams), account, decision: "approve" }
  const page = new URL(here(url, baseUrl))
  page.search = ""
  const decided = yield* http.execute(HttpClientRequest.post(page.href).pipe(HttpClientRequest.bodyUrlParams(form)))
  const { location } = decided.headers
  if (location === undefined)
    return yield* new CliFailure({
      code: "NOT_LINKED",
      message: `The simulator did not allow access to ${account}: status ${decided.status}`
    })
  yield* http.execute(HttpClientRequest.get(here(location, baseUrl)))
})

/** Creates a site unless the workspace has one with its address. A connect session would create it without a time zone. */
const createSite = ({ address, timezone }: SimulatorAccount["sites"][number]) =>
  patiently(request("sites", "create", { payload: { address, timezone } })).pipe(
    Effect.catchTag("SITE_ALREADY_EXISTS", () => Effect.void)
  )

const linkHome = Effect.fnUntraced(function* ({ id, sites }: SimulatorAccount, number: number) {
  const [site] = sites
  const devices = sites.flatMap((one) => one.devices).length
  const home = { account: id, address: site === undefined ? "" : site.address.streetOne, devices }
  const [firstName, lastName] = owners[number % owners.length]!
  if (site !== undefined) yield* createSite(site)
  const creation = request("connections", "create", {
    payload: {
      mode: "headless",
      referenceId: id,
      redirectUrl: "http://localhost/linked",
      manufacturerFilters: { manufacturers: ["simulator"] },
      tags: ["town"],
      customerInfo: {
        firstName,
        lastName,
        email: `${firstName}.${lastName}.${id}@example.com`.toLowerCase(),
        ...(site !== undefined && { location: { ...site.address, country: site.address.country ?? "USA" } })
      },
      // Headless mode asks no person, so the consent is that of the operator.
      params: { consent: "given by the operator for a simulated home" }
    }
  })
  const created = yield* patiently(creation).pipe(Effect.catchTag("DUPLICATE_CONNECTION", () => Effect.succeed(null)))
  if (created === null) return { ...home, status: "linked before" }
  yield* allowAccess(created.url, id)
  const { lastError, status } = yield* patiently(request("connections", "get", { params: { id: created.id } }))
  return {
    ...home,
    status: status === "SUCCESS" ? "linked" : `${status}${lastError === null ? "" : ` ${lastError.code}`}`
  }
})

/** Homes that are linked at once. */
const AT_ONCE = 4

/** Links the homes of a town as an operator's own program would: by headless connect sessions. */
export const linkTown = Effect.fnUntraced(function* (town: GrowTown) {
  const output = yield* Output
  const { accountIds } = yield* request("simulator", "growTown", { payload: town })
  let linked = 0
  const homes = yield* Effect.forEach(
    accountIds,
    Effect.fnUntraced(function* (id, number) {
      const account = yield* patiently(request("simulator", "get", { params: { id } }))
      const home = yield* linkHome(account, number)
      yield* output.status(`${++linked} of ${accountIds.length} homes`)
      return home
    }),
    { concurrency: AT_ONCE }
  )
  yield* output.status("")
  yield* showTable({ data: homes }, columns, homes)
  const failed = homes.filter(({ status }) => !status.startsWith("linked"))
  if (failed.length > 0)
    return yield* new CliFailure({ code: "NOT_LINKED", message: `${failed.length} homes could not be linked` })
  yield* output.note("The homes are read every minute: edp devices list --tag town")
  return accountIds
})
