// bind/rule_text.cpp: rules in the text formats of other programs, read and written.
#include "rule_table.hpp"
#include "rules/text_reader.hpp"
#include "rules/text_writer.hpp"

namespace rosewood::bind {

namespace {

/// The names in a table of words.
std::vector<std::string> names_of(const WordTable& table) {
  std::vector<std::string> names;
  for (std::int64_t n = 0; n < table.size(); ++n) names.emplace_back(table[n]);
  return names;
}

/// One rule, for tests: left, source, target, links, features, counts, line.
auto rule_at(const TextRules& rules, std::int64_t place) {
  if (place < 0 || place >= rules.size()) throw nb::index_error();
  TextRules::Room room;
  const RuleView rule = rules.view(place, room);
  std::vector<std::pair<int, int>> links;
  for (const RuleLink link : rule.links) links.emplace_back(link.source, link.target);
  return std::tuple(rule.left, std::vector(rule.source.begin(), rule.source.end()),
                    std::vector(rule.target.begin(), rule.target.end()), std::move(links),
                    std::move(room.features),
                    std::tuple(rule.count, rule.source_count, rule.target_count),
                    rules.line(place));
}

}  // namespace

void bind_rule_text(nb::module_& m) {
  nb::enum_<RuleFormat>(m, "RuleFormat", "How lines of rules are written.")
      .value("moses_phrases", RuleFormat::moses_phrases)
      .value("moses_grammar", RuleFormat::moses_grammar)
      .value("cdec", RuleFormat::cdec)
      .value("joshua", RuleFormat::joshua)
      .value("moses_reordering", RuleFormat::moses_reordering);

  nb::class_<TextRules>(m, "TextRules", "Rules that come from text, until they go into a table.")
      .def("__len__", &TextRules::size)
      .def("__getitem__", &rule_at, "place"_a,
           "Behind finish: left, source, target, links, features, counts and line of a rule.")
      .def("finish", &TextRules::finish, "by"_a, Release(),
           "Numbers words and labels, sorts rules; those of one source by a feature, if not -1.")
      .def(
          "write",
          [](const TextRules& self, RuleTableWriterHandle& writer, std::int64_t begin,
             std::int64_t end) { self.write(writer.writer, begin, end); },
          "writer"_a, "begin"_a, "end"_a, Release(), "Behind finish: some of the rules, in order.")
      .def("is_constant", &TextRules::is_constant, "feature"_a, "value"_a)
      .def("set_constant", &TextRules::set_constant, "feature"_a, "value"_a)
      .def_prop_ro("features", [](const TextRules& self) { return names_of(self.features()); })
      .def_prop_ro("labels", [](const TextRules& self) { return names_of(self.labels()); })
      .def(
          "source_words",
          [](const TextRules& self) {
            return std::pair(word_bytes(self.source_words()), word_start(self.source_words()));
          },
          "All words, one behind the other, and where each begins.")
      .def("target_words", [](const TextRules& self) {
        return std::pair(word_bytes(self.target_words()), word_start(self.target_words()));
      });

  nb::class_<LineReader>(m, "LineReader", "Reads a text table, block by block.")
      .def(
          "feed", [](LineReader& self, Bytes block) { return told(self.feed(text_of(block))); },
          "block"_a.noconvert(), Release(),
          "Takes the next bytes; line and reason of the first bad line, if there is one.")
      .def(
          "finish", [](LineReader& self) { return told(self.finish()); }, Release(),
          "The text has ended.")
      .def_prop_ro("skipped", &LineReader::skipped, "Bad lines that were skipped.")
      .def_prop_ro(
          "examples",
          [](const LineReader& self) {
            std::vector<Told> some;
            for (const BadLine& bad : self.examples()) some.push_back(told(bad));
            return some;
          },
          "The first few of them: line, reason, code and what is wrong.")
      .def_prop_ro("zeros", &LineReader::zeros, "Probabilities that are 0, or as good as.");

  nb::class_<RuleTextReader, LineReader>(m, "RuleTextReader", "Reads rules.")
      .def(nb::init<RuleFormat, std::string, std::int64_t, bool>(), "format"_a, "prefix"_a,
           "max_bytes"_a, "skip_bad"_a,
           "Features without a name are called by the prefix and their place.")
      .def_prop_ro("rules", &RuleTextReader::rules, nb::rv_policy::reference_internal)
      .def_prop_ro("left_out", &RuleTextReader::left_out,
                   "Lines with sparse features or properties.")
      .def_prop_ro("labelled", &RuleTextReader::labelled,
                   "Phrases whose sides both end with a label, such as [X].");

  nb::class_<ReorderingReader, LineReader>(m, "ReorderingReader",
                                           "Reads a reordering table, joined with rules.")
      .def(nb::init<TextRules&, std::size_t, std::size_t, std::int64_t, bool>(), "rules"_a,
           "directions"_a, "classes"_a, "max_bytes"_a, "skip_bad"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("unmatched", &ReorderingReader::unmatched, "Lines that no rule has.")
      .def_prop_ro("missing", &ReorderingReader::missing, "Rules that no line has.");

  nb::class_<RuleTextWriter>(m, "RuleTextWriter", "Writes rules as text, block by block.")
      .def(
          "__init__",
          [](RuleTextWriter* self, const RuleTableHandle& table, RuleFormat format,
             std::vector<std::string> labels, std::vector<std::string> features,
             std::vector<std::size_t> columns, std::string prefix, bool skip_unwritable,
             int threads) {
            new (self) RuleTextWriter(table.table,
                                      {format, std::move(labels), std::move(features),
                                       std::move(columns), std::move(prefix), skip_unwritable},
                                      threads);
          },
          "table"_a, "format"_a, "labels"_a, "features"_a, "columns"_a, "prefix"_a,
          "skip_unwritable"_a, "threads"_a, nb::keep_alive<1, 2>())
      .def("next", &next_block<RuleTextWriter>, "The next bytes of the file; none behind the last.")
      .def_prop_ro("skipped", &RuleTextWriter::skipped, "Rules that were left out so far.");
}

}  // namespace rosewood::bind
