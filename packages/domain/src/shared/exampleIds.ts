const at = "cmm7p6yo0"

/** The ids of the examples in the reference: all of them speak of one device at one site. */
export const exampleIds = {
  organization: `${at}1h8k3v5n9q2r7t4w`,
  workspace: `${at}2x6b9d4f7j1m5p8s`,
  apiKey: `${at}3c7g2k6n0q4t8w1z`,
  site: `${at}4a9e3i7m1q5u9y2c`,
  device: `${at}5d8h2l6p0t4x8b3f`,
  deviceModel: `${at}6f1j5n9r3v7z2d6h`,
  alert: `${at}7k2o6s0w4a8e3i7m`,
  reading: `${at}8q4u8y2c6g0k5o9s`,
  customer: `${at}9t1x5b9f3j7n2r6v`,
  collection: `${at}a3m8q2d6h0l4p9t5`,
  auditLog: `${at}b7c2e9g4j1l6n3q8`,
  refusedUse: `${at}d2g6j0m4p8s1v5y9`,
  managementKey: `${at}c5d8f1h6k3m0p7r4`,
  event: `${at}e3h7k1n5q9t2w6z0`,
  command: `${at}f6i0l4o8r2u5x9a3`,
  connection: `${at}g9j3m7p1s5v8y2b6`,
  programInstance: `${at}h2k6n0q4t8w1z5c9`,
  enrollment: `${at}i5l9o3r7u1x4a8d2`,
  destination: `${at}j8m2p6s0v4y7b1e5`,
  delivery: `${at}k1n5q9t3w7z0c4f8`
} as const
