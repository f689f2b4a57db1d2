import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { describe } from "../auth/annotations.ts"
import { SystemHealth } from "./SystemHealth.ts"

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("get", "/dashboard/api/health", { success: SystemHealth }).annotateMerge(
      describe(
        ["MANAGEMENT"],
        "Get the state of the deployment",
        "Instances, background work, partitions, database and Redis of the deployment; destinations, quotas and accounts of the key's organization, in all of its workspaces. Each part is measured by itself within 3 seconds; one that fails is null with a reason."
      )
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Health", description: "The state of the deployment, for those who run it." })
  ) {}
