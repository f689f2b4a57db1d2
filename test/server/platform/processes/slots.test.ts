import { describe, expect, test } from "vitest"
import { parseProcesses, slotArguments, planSlots, readSlot } from "@edp/server/platform/processes/slots"

const plan = (settings: Partial<Parameters<typeof planSlots>[0]>) =>
  planSlots({ processes: "2", role: "", isEmbedded: false, cores: 4, ...settings })
const names = (settings: Parameters<typeof plan>[0]) => plan(settings).map(({ name }) => name)

describe("EDP_PROCESSES", () => {
  test("is a number from 1 to 64, or auto", () => {
    expect(["1", "64", "auto"].map(parseProcesses)).toEqual([1, 64, "auto"])
    for (const text of ["0", "65", "2.5", "-1", "many", "Auto"])
      expect([text, parseProcesses(text)]).toEqual([text, undefined])
  })

  test("starts so many API processes, and workers that leave the port to them", () => {
    expect(plan({})).toEqual([
      { name: "api-1", role: "api", listens: true },
      { name: "api-2", role: "api", listens: true },
      { name: "worker-1", role: "worker", listens: false }
    ])
  })

  test("starts one worker for four API processes", () => {
    const counts = ["4", "5", "8", "9"].map((processes) =>
      names({ processes }).filter((name) => name.startsWith("worker"))
    )
    expect(counts.map(({ length }) => length)).toEqual([1, 2, 2, 3])
  })

  test("auto is the number of cores", () => {
    expect(names({ processes: "auto" })).toEqual(["api-1", "api-2", "api-3", "api-4", "worker-1"])
    expect(names({ processes: "auto", cores: 1 })).toEqual([])
    expect(names({ processes: "auto", cores: 128 })).toHaveLength(64 + 16)
  })

  test("in the role of another setting all processes have that role, and listen", () => {
    expect(names({ role: "api" })).toEqual(["api-1", "api-2"])
    expect(plan({ role: "worker" }).map(({ listens, name }) => `${name} ${listens}`)).toEqual([
      "worker-1 true",
      "worker-2 true"
    ])
  })

  test("leaves what the settings refuse, and the embedded database, to one process", () => {
    expect(names({ processes: "1" })).toEqual([])
    expect(names({ processes: "" })).toEqual([])
    expect(names({ processes: "many" })).toEqual([])
    expect(names({ role: "none" })).toEqual([])
    expect(names({ isEmbedded: true })).toEqual([])
    expect(names({ processes: "auto", isEmbedded: true })).toEqual([])
  })
})

test("a process reads its slot from the arguments that its supervisor gives it", () => {
  for (const role of ["all", "api", "worker"]) {
    for (const slot of plan({ processes: "5", role })) expect(readSlot(slotArguments(slot))).toEqual(slot)
  }
})
