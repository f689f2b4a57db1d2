import { withConventions } from "@edp/domain/auth/middleware"
import { NAMES_LIMIT, NamesApi } from "@edp/domain/dashboard/NamesApi"
import { Effect, Exit, Request, RequestResolver } from "effect"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"

const api = withConventions(HttpApi.make("names").add(NamesApi))

class NamesClient extends AtomHttpApi.Service<NamesClient>()("NamesClient", { api, ...pageClient }) {}

interface NameRequest extends Request.Request<string | undefined, unknown, NamesClient> {
  readonly _tag: "NameRequest"
  readonly kind: "customer" | "device" | "site"
  readonly id: string
}
const NameRequest = Request.tagged<NameRequest>("NameRequest")

/** The links of a page ask for their names one after another while it is drawn. */
const TOGETHER = "10 millis"

/** Reads the names that a page asks for together by one request. */
const resolver = RequestResolver.make<NameRequest>((entries) => {
  const asked = (kind: NameRequest["kind"]) =>
    entries.filter(({ request }) => request.kind === kind).map(({ request }) => request.id)
  const query = { customerId: asked("customer"), deviceId: asked("device"), siteId: asked("site") }
  return NamesClient.use((client) => client.names.list({ query })).pipe(
    Effect.map(({ customers, devices, sites }) => {
      const names = new Map([...customers, ...devices, ...sites].map(({ id, name }) => [id, name]))
      for (const entry of entries) entry.completeUnsafe(Exit.succeed(names.get(entry.request.id)))
    }),
    Effect.provideContext(entries[0].context)
  )
}).pipe(RequestResolver.setDelay(TOGETHER), RequestResolver.batchN(NAMES_LIMIT))

const nameQuery = (kind: NameRequest["kind"], id: string) =>
  NamesClient.runtime
    .atom(Effect.request(NameRequest({ kind, id }), resolver))
    .pipe(dependingOn(keys(`${kind}s`, `${kind}:${id}`)))

/** The display name of a customer; undefined if there is no such customer. */
export const customerNameQuery = Atom.family((id: string) => nameQuery("customer", id))

/** The name of a device; undefined if there is no such device. */
export const deviceNameQuery = Atom.family((id: string) => nameQuery("device", id))

/** The display name of a site; undefined if there is no such site. */
export const siteNameQuery = Atom.family((id: string) => nameQuery("site", id))
