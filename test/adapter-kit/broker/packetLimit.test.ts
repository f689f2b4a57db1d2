import { MESSAGE_LIMIT, PacketLimit } from "@edp/adapter-kit/broker/packetLimit"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"

const encodeLength = (length: number): ReadonlyArray<number> =>
  length < 128 ? [length] : [(length % 128) | 0x80, ...encodeLength(Math.floor(length / 128))]

const packet = (type: number, length: number) =>
  Buffer.concat([Buffer.from([type << 4, ...encodeLength(length)]), Buffer.alloc(length, type)])

const huge = packet(3, MESSAGE_LIMIT + 1)

const cut = (bytes: Buffer, at: ReadonlyArray<number>) => {
  const places = [0, ...at.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, n) => bytes.subarray(places[n]!, end))
}

const Drawn = Schema.Struct({
  packets: Schema.Array(
    Schema.Struct({ length: Schema.Literals([0, 1, 127, 128, 300, 20_000]), isHuge: Schema.Boolean })
  ).check(Schema.isMaxLength(8)),
  cuts: Schema.Array(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).check(Schema.isMaxLength(20))
})

describe("the packets of a broker", () => {
  it("pass unchanged, except messages over the limit, however the stream is cut", () => {
    const result = Effect.runSync(
      Arbitrary.checkEffect(
        Arbitrary.schema(Drawn),
        ({ cuts, packets }) =>
          Effect.sync(() => {
            const limit = new PacketLimit()
            const made = packets.map(({ isHuge, length }) => (isHuge ? huge : packet(3, length)))
            const passed = Buffer.concat(cut(Buffer.concat(made), cuts).map((chunk) => limit.filter(chunk)))
            const wanted = Buffer.concat(made.filter((one) => one !== huge))
            return passed.equals(wanted)
          }),
        { runs: 100 }
      )
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
  })

  it("end the connection if they are malformed, or large and no messages", () => {
    expect(() => new PacketLimit().filter(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]))).toThrow("malformed")
    expect(() => new PacketLimit().filter(packet(9, 70_000))).toThrow("too large")
  })
})
