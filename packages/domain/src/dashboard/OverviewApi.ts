import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { Overview, OverviewEnergy } from "./Overview.ts"

export class OverviewApi extends HttpApiGroup.make("overview")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/overview", { success: Overview }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the overview",
        "Power now, what could be dispatched, what needs somebody, and dispatches and schedules of the workspace."
      )
    ),
    HttpApiEndpoint.get("energy", "/dashboard/api/overview/energy", { success: OverviewEnergy }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the energy of today",
        "Energies of today until the last quarter of an hour, beside the same hours a week ago."
      )
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Overview", description: "A workspace at a glance." })) {}
