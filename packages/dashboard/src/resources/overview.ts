import { withConventions } from "@edp/domain/auth/middleware"
import { OverviewApi } from "@edp/domain/dashboard/OverviewApi"
import { HttpApi } from "effect/http-api"
import { AtomHttpApi } from "effect/reactivity"
import { pageClient } from "../api/makeApi.ts"

const api = withConventions(HttpApi.make("overview").add(OverviewApi))

class OverviewClient extends AtomHttpApi.Service<OverviewClient>()("OverviewClient", { api, ...pageClient }) {}

// They have no keys: the page reads them again, never while they are being read.

export const overviewQuery = OverviewClient.query("overview", "get", {})

export const overviewEnergyQuery = OverviewClient.query("overview", "energy", {})
