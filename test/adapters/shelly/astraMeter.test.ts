import { readStatus } from "@edp/adapter-shelly/deviceStatus"
import { readFrame } from "@edp/adapter-shelly/frames"
import { observeComponent } from "@edp/adapter-shelly/readings"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { decodeResponses } from "@edp/adapter-templates/httpExchange"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { describe, expect, it } from "vitest"

const template = shippedTemplates.find(({ slug }) => slug === "shelly-rpc-3em") as HttpTemplate

/**
 * Datagrams with which AstraMeter 2.2.3 (tomquist/AstraMeter @964e0bf, src/astrameter/shelly/shelly.py), which stands in for Shelly meters,
 * responded to `EM.GetStatus` and `EM1.GetStatus`. It adds a thousandth to whole numbers.
 */
const responses = {
  export: {
    watts: -812,
    em: '{"id":7,"src":"shellypro3em-ec4609c439c1","dst":"unknown","result":{"a_act_power":-812.0,"b_act_power":0.001,"c_act_power":0.001,"total_act_power":-811.999}}',
    em1: '{"id":7,"src":"shellypro3em-ec4609c439c1","dst":"unknown","result":{"act_power":-811.999}}'
  },
  import: {
    watts: 2204,
    em: '{"id":7,"src":"shellypro3em-ec4609c439c1","dst":"unknown","result":{"a_act_power":2204.0,"b_act_power":0.001,"c_act_power":0.001,"total_act_power":2204.001}}',
    em1: '{"id":7,"src":"shellypro3em-ec4609c439c1","dst":"unknown","result":{"act_power":2204.001}}'
  }
}

const readResult = (datagram: string) => {
  const frame = readFrame(datagram)
  if (frame._tag !== "Response") throw new Error(`It is read as ${frame._tag}`)
  return frame.result
}

describe("the responses of AstraMeter, a stand-in for Shelly meters by another author", () => {
  it.each(Object.entries(responses))(
    "are read with the sign and watts that it was told, for %s",
    (_, { em, em1, watts }) => {
      for (const [kind, datagram] of [
        ["em", em],
        ["em1", em1]
      ] as const) {
        const status = readStatus({ [`${kind}:0`]: readResult(datagram) })
        expect(observeComponent({ kind, id: 0 }, "meter", status)).toMatchObject({
          state: { power: watts },
          missing: [],
          problems: []
        })
      }
      const { missing, problems, state } = decodeResponses(template.devices[0]!, template, (request) =>
        request === "power" ? readResult(em) : undefined
      )
      // It counts no energy, and has neither a voltage nor a current.
      expect({ state, missing, problems }).toEqual({ state: { power: watts }, missing: [], problems: [] })
    }
  )
})
