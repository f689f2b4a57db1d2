import { groupNames, loadGroup } from "@edp/cli/kernel/groupClient"
import { Api } from "@edp/domain/Api"
import { DashboardApi } from "@edp/domain/DashboardApi"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

const groups: Readonly<Record<string, unknown>> = { ...Api.groups, ...DashboardApi.groups }

it.effect("the tool loads each group of the contract and of the operators' endpoints by its name", () =>
  Effect.gen(function* () {
    expect(groupNames.toSorted()).toEqual(Object.keys(groups).toSorted())
    for (const name of groupNames) expect((yield* loadGroup(name)).identifier).toBe(name)
  })
)
