import { withConventions } from "@edp/domain/auth/middleware"
import { NotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { PathId } from "@edp/domain/shared/Cuid"
import { CursorPage, cursorPaging, withNextCursor } from "@edp/domain/shared/Page"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { given, instant, keys, pageClient } from "../api/makeApi.ts"

/**
 * An event as it was stored. Its data is shown as it is: events of an earlier version need not have today's form, and the schemas of
 * all records would be loaded for nothing.
 */
export const StoredEvent = Schema.Struct({
  id: Schema.String,
  sequence: Schema.Number,
  type: Schema.String,
  version: Schema.String,
  timestamp: Schema.String,
  workspaceId: Schema.String,
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "StoredEvent" })
export type StoredEvent = typeof StoredEvent.Type

const text = Schema.optionalKey(Schema.String)

class StoredEventsApi extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("list", "/v1/events", {
    query: { ...cursorPaging, type: text, deviceId: text, siteId: text, from: text, to: text },
    success: withNextCursor(CursorPage(StoredEvent)),
    error: ValidationError
  }),
  HttpApiEndpoint.get("get", "/v1/events/:id", { params: { id: PathId }, success: StoredEvent, error: NotFound })
) {}

const api = withConventions(HttpApi.make("storedEvents").add(StoredEventsApi))

class StoredEventsClient extends AtomHttpApi.Service<StoredEventsClient>()("StoredEventsClient", {
  api,
  ...pageClient
}) {}

/** The events that the address of a page asks for. */
export interface EventSearch {
  readonly type?: string | undefined
  readonly device?: string | undefined
  readonly site?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly cursor?: string | undefined
}

/** A page of events, newest first. */
export const storedEventsQuery = ({ type, device, site, from, to, cursor }: EventSearch) =>
  StoredEventsClient.query("events", "list", {
    query: given({
      perPage: 50,
      type: type || undefined,
      deviceId: device?.trim() || undefined,
      siteId: site?.trim() || undefined,
      from: instant(from),
      to: instant(to),
      cursor: cursor || undefined
    }),
    reactivityKeys: keys("events")
  })

/** One event. It never changes. */
export const storedEventQuery = (id: string) =>
  StoredEventsClient.query("events", "get", { params: { id }, reactivityKeys: keys() })
