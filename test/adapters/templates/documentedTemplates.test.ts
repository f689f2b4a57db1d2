import { readFileSync } from "node:fs"
import { decodeMessages } from "@edp/adapter-templates/mqttTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { expect, it } from "vitest"

const page = readFileSync(new URL("../../../docs/local-devices.md", import.meta.url), "utf8")
const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!))

it.each(examples.map((document) => [document.slug, document]))(
  "the template %s of the docs is valid",
  (_, document) => {
    expect(readTemplate(document)).toHaveProperty("template.slug", document.slug)
  }
)

it("the template over MQTT of the docs has exactly the state that it promises", () => {
  const result = readTemplate(examples.find(({ protocol }) => protocol === "mqtt"))
  if (!("template" in result) || result.template.protocol !== "mqtt") throw new Error(JSON.stringify(result))
  const { devices, fixture } = result.template
  for (const device of devices) {
    const { missing, problems, state } = decodeMessages(device, fixture.id, (topic) => fixture.messages[topic])
    expect({ state, missing, problems }).toEqual({
      state: fixture.expected[device.key]!.state,
      missing: [],
      problems: []
    })
  }
})
