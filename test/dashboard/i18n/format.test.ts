import { describe, expect, it } from "vitest"
import {
  formatAge,
  formatDays,
  formatNumber,
  formatQuantity,
  formatShare,
  formatTime
} from "@edp/dashboard/i18n/format"

const HOUR = 3_600_000

describe("formats of the dashboard", () => {
  it("a value that rounds to zero has no sign", () => {
    expect(formatQuantity("en", -0.3, "W")).toBe("0\u00a0W")
    expect(formatNumber("en", -0.2)).toBe("0")
    expect(formatShare("en", -0.003)).toBe("0%")
    expect(formatQuantity("en", -1500, "W")).toBe("-1.5\u00a0kW")
  })

  it("percentages are written alike everywhere, in the way of each language", () => {
    expect(formatQuantity("en", 44.4, "%")).toBe("44.4%")
    expect(formatShare("en", 0.8)).toBe("80%")
    expect(formatQuantity("es", 44.4, "%")).toBe("44,4\u00a0%")
    expect(formatShare("es", 0.8)).toBe("80\u00a0%")
  })

  it("the age in months is not written like one in minutes", () => {
    const now = Date.parse("2026-11-23T00:00:00Z")
    expect(formatAge("es", now - 11 * 30.5 * 24 * HOUR, now)).toBe("hace 11 meses")
    expect(formatAge("es", now - 11 * 60_000, now)).toBe("hace 11 min")
  })

  it("a week is named by its first and last day in the time zone", () => {
    const [from, to] = [Date.parse("2026-11-23T08:00:00Z"), Date.parse("2026-11-30T08:00:00Z")]
    expect(formatDays("en", from, to, "America/Los_Angeles").replace(/\s/g, " ")).toBe("Nov 23 – 29, 2026")
  })

  it("a time in the browser's time zone names that zone", () => {
    const time = Date.parse("2026-11-23T08:04:00Z")
    const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" })
      .formatToParts(time)
      .find(({ type }) => type === "timeZoneName")!.value
    expect(formatTime("en", time)).toContain(zone)
  })
})
