import { refusal, type Routes, type SeenRequest } from "../fakeService.ts"

const now = "2026-01-01T00:00:00.000Z"
export const makeId = (at: number) => `c${`${at}`.padStart(24, "0")}`

const listed = (data: ReadonlyArray<unknown>) => ({
  data: data.slice(0, 1),
  page: 1,
  perPage: 1,
  totalItems: data.length,
  totalPages: data.length
})

const makeSite = (id: string, fields: object) => ({
  id,
  workspaceId: makeId(1),
  name: null,
  referenceId: null,
  location: null,
  timezone: null,
  tags: [],
  customerIds: [],
  deviceCount: 0,
  createdAt: now,
  updatedAt: now,
  ...fields
})

/** The error of an item, if any: the test chooses it by the item's name. */
const findFailure = ({ name }: { readonly name?: string }, taken: boolean) => {
  if (taken) return { code: "SITE_ALREADY_EXISTS", message: "There is one" }
  if (name === "nowhere") return { code: "INVALID_LOCATION", message: "There is no such place" }
  return undefined
}

export interface FakeBulk {
  readonly routes: Routes
  /** The addresses that were created, once for each time. */
  readonly streets: Array<string>
  /** The bulk requests: under which name, and how many items. */
  readonly sent: Array<{ readonly name: string | undefined; readonly items: ReadonlyArray<any> }>
  workspaceId: string
  /** Refuses the whole request instead of answering, before or after it took effect. */
  refuse: (request: number) => "before" | "after" | undefined
  /** Whether the geocoder is too slow for this item. */
  tooSlow: (item: any) => boolean
}

/** A service that makes sites in bulk, once for each Idempotency-Key and once for each address. */
export const fakeBulk = (): FakeBulk => {
  const responses = new Map<string, unknown>()
  const sites: Array<ReturnType<typeof makeSite>> = []
  const fake: FakeBulk = {
    streets: [],
    sent: [],
    workspaceId: makeId(1),
    refuse: () => undefined,
    tooSlow: () => false,
    routes: {
      "GET /v1/workspaces": () =>
        listed([
          {
            id: fake.workspaceId,
            organizationId: makeId(2),
            name: "Pilot",
            deletionProtection: false,
            logoUrl: null,
            accentColor: null,
            contactEmail: null,
            contactPhone: null,
            contactUrl: null,
            temperatureUnit: "F",
            distanceUnit: "mi",
            connectRedirects: [],
            pausedAt: null,
            timezone: "UTC",
            createdAt: now,
            updatedAt: now
          }
        ]),
      "GET /v1/sites": ({ query }) => listed(sites.filter(({ referenceId }) => referenceId === query["referenceId"])),
      "POST /v1/sites/bulk": (request) => {
        const verdict = fake.refuse(fake.sent.length)
        fake.sent.push({ name: request.idempotencyKey, items: request.body.sites })
        if (verdict === "before") return refusal(401, "UNAUTHENTICATED")
        const response = answered(request)
        return verdict === "after" ? refusal(401, "UNAUTHENTICATED") : response
      }
    }
  }
  const create = (item: any, index: number) => {
    const { streetOne } = item.address
    const failure = fake.tooSlow(item)
      ? { code: "LOCATION_SERVICE_ERROR", message: "Too slow" }
      : findFailure(item, fake.streets.includes(streetOne))
    if (failure !== undefined) return { index, status: "error", ...failure }
    fake.streets.push(streetOne)
    const site = makeSite(makeId(100 + fake.streets.length), item)
    sites.push(site)
    return { index, status: "created", site }
  }
  const answered = ({ body, idempotencyKey = "" }: SeenRequest) => {
    const known = responses.get(idempotencyKey)
    if (known !== undefined) return known
    const results = body.sites.map(create)
    const created = results.filter(({ status }: { readonly status: string }) => status === "created").length
    const response = { created, failed: results.length - created, results }
    responses.set(idempotencyKey, response)
    return response
  }
  return fake
}
