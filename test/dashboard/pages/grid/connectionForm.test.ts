import { emptyForm, formFrom, targetsProblem, toConnection } from "@edp/dashboard/pages/grid/connectionForm"
import { CreateGridConnection, GridConnection, UpdateGridConnection } from "@edp/domain/grid/GridConnection"
import { Schema } from "effect"
import { expect, test } from "vitest"

const filled = { ...emptyForm, name: " Utility ", vtnUrl: "https://vtn.example.com", venName: "ven" }

test("a form without credentials asks for none, and the contract accepts it", () => {
  const made = toConnection({ ...filled, targets: "zone-7\n\n zone-8 " })
  expect(made).toEqual({
    name: "Utility",
    vtnUrl: "https://vtn.example.com",
    venName: "ven",
    clientId: null,
    tokenUrl: null,
    targets: ["zone-7", "zone-8"],
    pollSeconds: 60,
    notifications: "automatic"
  })
  expect(Schema.decodeUnknownSync(CreateGridConnection)(made)).toEqual(made)
})

test("a secret is sent as it was typed", () => {
  expect(toConnection({ ...filled, clientId: "ven-42", clientSecret: " s " })).toMatchObject({
    clientId: "ven-42",
    clientSecret: " s "
  })
})

test("an unchanged form of a stored connection changes nothing, and sends no secret", () => {
  const [stored] = Schema.resolveAnnotations(GridConnection)!["examples"] as unknown as ReadonlyArray<GridConnection>
  const changed = toConnection(formFrom(stored!))
  expect(stored).toMatchObject(changed)
  expect(changed).not.toHaveProperty("clientSecret")
  expect(Schema.decodeUnknownSync(UpdateGridConnection)(changed)).toEqual(changed)
})

test("a refused target is a problem of the field of all targets", () => {
  const refused = (details: Readonly<Record<string, string>>) =>
    targetsProblem({ kind: "refused", code: "VALIDATION_ERROR", message: "", details })
  expect(refused({ "targets.1": "too long" })).toBe("too long")
  expect(refused({ name: "missing" })).toBeUndefined()
})
