import { type CatalogueModel, model } from "./CatalogueModel.ts"

/** Home batteries. Capacity is usable energy in Wh, rates are continuous power in W, of one unit. */
export const batteryModels: ReadonlyArray<CatalogueModel> = [
  model("byd", "battery", "Battery-Box Premium HVM 11.0", { capacity: 11_040 }),
  model("byd", "battery", "Battery-Box Premium HVS 10.2", { capacity: 10_240 }),
  model("enphase", "battery", "IQ Battery 3", { capacity: 3360, maxChargeRate: 1280, maxDischargeRate: 1280 }),
  model("enphase", "battery", "IQ Battery 10", { capacity: 10_080, maxChargeRate: 3840, maxDischargeRate: 3840 }),
  model("enphase", "battery", "IQ Battery 5P", { capacity: 5000, maxChargeRate: 3840, maxDischargeRate: 3840 }),
  model("franklinwh", "battery", "aPower X", { capacity: 13_600, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("franklinwh", "battery", "aPower 2", { capacity: 15_000, maxDischargeRate: 10_000 }),
  model("generac", "battery", "PWRcell M3", { capacity: 9000 }),
  model("generac", "battery", "PWRcell M6", { capacity: 18_000 }),
  model("goodwe", "battery", "Lynx Home U LX U5.4-L"),
  model("huawei", "battery", "LUNA2000-5-S0", { capacity: 5000, maxChargeRate: 2500, maxDischargeRate: 2500 }),
  model("huawei", "battery", "LUNA2000-10-S0", { capacity: 10_000, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("lg", "battery", "RESU10H Prime", { capacity: 9600, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("lg", "battery", "RESU16H Prime", { capacity: 16_000, maxChargeRate: 7000, maxDischargeRate: 7000 }),
  model("solaredge", "battery", "Home Battery 400V", {
    capacity: 9700,
    maxChargeRate: 5000,
    maxDischargeRate: 5000
  }),
  model("sonnen", "battery", "sonnenCore", { capacity: 10_000, maxChargeRate: 4800, maxDischargeRate: 4800 }),
  model("sonnen", "battery", "sonnenBatterie 10"),
  model("tesla", "battery", "Powerwall 2", { capacity: 13_500, maxChargeRate: 5000, maxDischargeRate: 5000 }),
  model("tesla", "battery", "Powerwall+", { capacity: 13_500 }),
  model("tesla", "battery", "Powerwall 3", { capacity: 13_500, maxChargeRate: 5000, maxDischargeRate: 11_500 })
]
