// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schema.hpp"

#include <algorithm>

namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& where) {
    for (const auto& [keyword, argument] : schema.items()) {
      std::string violation = check_keyword(keyword, argument, value, where);
      if (!violation.empty()) return violation;
    }
    return "";
  }

 private:
  std::string check_keyword(const std::string& keyword, const json& argument, const json& value,
                            const std::string& where) {
    auto fault = [&](const std::string& what) { return where + ": " + what + ": " + value.dump(); };
    if (keyword.starts_with('$') && keyword != "$ref") return "";
    if (keyword == "title" || keyword == "description") return "";
    if (keyword == "$ref")
      return check(root_.at(json::json_pointer(argument.get<std::string>().substr(1))), value, where);
    if (keyword == "type") return is_type(argument, value) ? "" : fault("not of type " + argument.dump());
    if (keyword == "const") return value == argument ? "" : fault("not " + argument.dump());
    if (keyword == "enum") {
      return std::find(argument.begin(), argument.end(), value) != argument.end()
                 ? ""
                 : fault("not one of " + argument.dump());
    }
    if (keyword == "minimum")
      return !value.is_number() || value >= argument ? "" : fault("less than " + argument.dump());
    if (keyword == "minItems")
      return value.size() >= argument ? "" : fault("fewer items than " + argument.dump());
    if (keyword == "required") return check_required(argument, value, where);
    if (keyword == "properties") return check_properties(argument, value, where);
    if (keyword == "items") return check_items(argument, value, where);
    return where + ": the schema's keyword " + keyword + " is not known";
  }

  static bool is_type(const json& type, const json& value) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(), [&](const json& one) { return is_type(one, value); });
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  static std::string check_required(const json& names, const json& value, const std::string& where) {
    for (const json& name : names) {
      if (!value.contains(name.get<std::string>())) return where + ": lacks " + name.dump();
    }
    return "";
  }

  std::string check_properties(const json& properties, const json& value, const std::string& where) {
    for (const auto& [name, schema] : properties.items()) {
      if (!value.contains(name)) continue;
      std::string violation = check(schema, value.at(name), where + "/" + name);
      if (!violation.empty()) return violation;
    }
    return "";
  }

  std::string check_items(const json& schema, const json& value, const std::string& where) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string violation = check(schema, value.at(i), where + "/" + std::to_string(i));
      if (!violation.empty()) return violation;
    }
    return "";
  }

  const json& root_;
};

}  // namespace

std::string schema_violation(const json& schema, const json& document) {
  return Validator(schema).check(schema, document, "");
}
