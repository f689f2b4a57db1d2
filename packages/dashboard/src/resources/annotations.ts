import { withConventions } from "@edp/domain/auth/middleware"
import { AnnotationsApi } from "@edp/domain/dashboard/AnnotationsApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("annotations").add(AnnotationsApi))

class AnnotationsClient extends AtomHttpApi.Service<AnnotationsClient>()("AnnotationsClient", {
  api,
  ...pageClient
}) {}

export type Subject = { readonly deviceId: string } | { readonly siteId: string }

interface Span {
  readonly from: number
  readonly to: number
}

/** Explanations of the charts of a device or a site: outages, alerts, dispatches and changes of the clock. */
export const annotationsQuery = (subject: Subject, { from, to }: Span) =>
  AnnotationsClient.query("annotations", "list", {
    query: { ...subject, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    reactivityKeys: keys("alerts", "dispatches")
  })
