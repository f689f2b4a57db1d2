import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/describe.ts"
import { KeptReadings } from "./KeptReadings.ts"

export class KeptReadingsApi extends HttpApiGroup.make("keptReadings")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/kept-readings", { success: KeptReadings }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get how long readings are kept",
        "What the service is set to, what it has dropped so far, and the oldest reading of the key's organization."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Kept readings",
      description:
        "How long readings are kept. Energies of dropped readings are kept for ever, by the quarter of an hour."
    })
  ) {}
