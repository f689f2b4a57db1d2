/** Node.js has Temporal from version 26 on. Older versions get it here, before any module that uses it is loaded. */
if (!("Temporal" in globalThis)) {
  const { Temporal } = await import("temporal-polyfill")
  Object.defineProperty(globalThis, "Temporal", { value: Temporal, configurable: true, writable: true })
}
